#include "interleaved.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

namespace cmcp::bench {

double Measured::percentile(double fraction) const {
  const auto index = static_cast<std::size_t>(
      std::lround(fraction * static_cast<double>(microseconds.size() - 1)));
  return microseconds[index];
}

Result<std::vector<Measured>> run_interleaved(std::vector<Row>& rows, int warm_up, int rounds) {
  std::vector<Measured> measured(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) measured[i].name = rows[i].name;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 shuffler(1);  // the same order in every run: comparable runs
  for (int round = -warm_up; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), shuffler);
    for (const std::size_t i : order) {
      const auto begin = std::chrono::steady_clock::now();
      if (Status status = rows[i].once(); !status.ok())
        return status.take_error().with_context(rows[i].name);
      const std::chrono::duration<double, std::micro> taken =
          std::chrono::steady_clock::now() - begin;
      if (round >= 0) measured[i].microseconds.push_back(taken.count());
    }
  }
  for (Measured& row : measured) std::sort(row.microseconds.begin(), row.microseconds.end());
  return measured;
}

json::Array report(const std::vector<Row>& rows, const std::vector<Measured>& measured) {
  const auto rounded = [](double value) { return std::round(value * 100) / 100; };
  json::Array out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json::Object entry;
    entry["name"] = rows[i].name;
    entry["p10_us"] = std::round(measured[i].percentile(0.10));
    entry["p50_us"] = std::round(measured[i].percentile(0.50));
    entry["p99_us"] = std::round(measured[i].percentile(0.99));
    entry["n"] = measured[i].microseconds.size();
    const auto base = std::find_if(measured.begin(), measured.end(),
                                   [&](const Measured& m) { return m.name == rows[i].baseline; });
    if (base != measured.end()) {
      const double ratio = measured[i].percentile(0.5) / base->percentile(0.5);
      entry["baseline"] = rows[i].baseline;
      entry["ratio_p50"] = rounded(ratio);
      if (rows[i].goal > 0) {
        entry["goal"] = rows[i].goal;
        entry["verdict"] = ratio <= rows[i].goal ? "met" : "missed";
      }
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace cmcp::bench
