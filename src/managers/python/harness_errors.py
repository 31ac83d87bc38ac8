# Tracebacks: source lines and the code's own line numbers, no frames of the harness; also of threads and of exceptions that
# cannot be raised. A part of the harness, compiled only when there is something to show or a module asks for source lines.
import io

LINES = list(io.StringIO(SOURCE, newline=None))


def add_source(linecache):
    linecache.cache[NAME] = (sum(map(len, LINES)), None, LINES, NAME)


def add_thread_hook(threading):
    threading.excepthook = show_in_thread


def prepare_module(name):
    """The spec of a module that needs something done after its first import."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, None)
        if spec is not None:
            break
    else:
        return None
    execute = spec.loader.exec_module
    action = add_source if name == 'linecache' else add_thread_hook

    def exec_module(module):
        execute(module)
        action(module)
    if not isinstance(spec.loader, type):  # the loader of frozen modules is one for all of them
        spec.loader.exec_module = exec_module
    return spec


def trim(trace):
    """Without what stands above the first frame of the code: frames of the harness and of asyncio's runner."""
    first = trace
    while first is not None and first.tb_frame.f_code.co_filename != NAME:
        first = first.tb_next
    if first is not None:
        return first
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    return trace


def complete(error):
    """The compiler, unlike the parser, gives no source line."""
    if isinstance(error, SyntaxError) and error.filename == NAME and error.text is None:
        if error.lineno and error.lineno <= len(LINES):
            error.text = LINES[error.lineno - 1]


def show(kind, error, trace):
    try:
        with_standard_path('linecache')
        traceback = with_standard_path('traceback')
        add_source(sys.modules['linecache'])
        complete(error)
        stream = sys.__stderr__ if sys.stderr is None else sys.stderr
        traceback.print_exception(kind, error, trim(trace), file=stream)
        stream.flush()
    except BaseException:
        posix.write(2, (kind.__name__ + '\n').encode('utf-8', 'replace'))


def show_in_thread(arguments):
    if arguments.exc_type is SystemExit:
        return
    name = 'unknown' if arguments.thread is None else arguments.thread.name
    print('Exception in thread %s:' % name, file=sys.stderr, flush=True)
    show(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def show_unraisable(arguments):
    what = arguments.err_msg or 'Exception ignored in'
    print('%s: %r' % (what, arguments.object), file=sys.stderr, flush=True)
    show(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def show_uncaught(error):
    """What the interpreter does with an exception that nobody caught; the code may have set sys.excepthook."""
    try:
        sys.excepthook(type(error), error, trim(error.__traceback__))
    except BaseException as second:
        show(type(second), second, second.__traceback__)
        show(type(error), error, error.__traceback__)
