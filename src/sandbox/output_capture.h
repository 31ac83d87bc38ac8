// OutputCapture: what becomes of the bytes that a program prints: decoded, freed of ANSI sequences,
// bounded to a head and a tail, and kept in full (up to OUTPUT_KEEP_MB) when something had to be
// left out.
//
//   CMCP_TRY(std::string id, kept->begin_call(request.principal));
//   OutputCapture out(request.budget, kept, id, "stdout");
//   events.output(out.append(bytes));        // for each read
//   outcome.out = out.finish();              // at the end of the stream
//   kept->end_call(id);                      // after both streams
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sandbox/ansi.h"
#include "sandbox/kept_outputs.h"
#include "sandbox/runner.h"

namespace cmcp::sandbox {

class OutputCapture {
 public:
  // `kept` may be null: then nothing is kept. It must outlive the capture.
  OutputCapture(OutputBudget budget, KeptOutputs* kept, std::string call_id,
                std::string stream_name);

  // Takes the next bytes of the stream; returns the text they complete: well-formed UTF-8 without
  // ANSI sequences, cut at character borders. Memory stays within the budget whatever comes in.
  std::string append(std::string_view bytes);
  // The end of the stream. Call once.
  CapturedStream finish();

 private:
  // The first part of the text, until it is full.
  struct Head {
    std::size_t chars_left = 0;
    std::size_t bytes_left = 0;
    bool full = false;
    std::string text;
    std::string_view take(std::string_view clean);  // returns the rest
  };
  // The last part: cut down to its limits now and then, exactly in finish.
  struct Tail {
    std::size_t max_chars = 0;
    std::size_t max_bytes = 0;
    std::string text;
    void add(std::string_view clean);
    void trim();
  };

  std::string decode(std::string_view bytes);
  void store(std::string_view clean);
  void keep(std::string_view bytes);

  KeptOutputs* kept_;
  std::string call_id_;
  std::string stream_;
  std::uint64_t keep_limit_;
  std::string unkept_;         // raw bytes from the beginning that are in no file yet
  bool keeping_ = false;       // a file has been begun
  bool keep_stopped_ = false;  // no more can be kept
  std::uint64_t kept_bytes_ = 0;

  std::string partial_;  // the beginning of a character whose end has not come
  AnsiStripper ansi_;
  Head head_;
  Tail tail_;
  std::uint64_t clean_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t invalid_bytes_ = 0;
};

}  // namespace cmcp::sandbox
