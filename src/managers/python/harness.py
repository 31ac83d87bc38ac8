# The harness: runs the caller's code as the module __main__ and sends its result over a descriptor of its own.
#
# Started as `python -I -S -B -u -X utf8 -c TEXT`; TEXT is this file after `ERRORS = …` and `RESULT = …`, the texts of
# harness_errors.py and harness_result.py. Descriptor 3 holds the code; descriptor 4 takes one JSON object
# {"result": …, "memory_error": bool, "truncated": bool}, or nothing when there is nothing to say.
# Compiling and importing is most of what a short run costs: what is rarely needed is a part of its own, and what is
# imported here is built in or frozen.
import _ast
import _sitebuiltins
import builtins
import posix
import sys

NAME = '<code>'
LAST = '<last expression>'  # no identifier: the code can neither read nor shadow it
STANDARD_PATH = list(sys.path)
CHANNEL = 4
RESERVE = bytes(4 << 20)  # untouched pages, given back when memory has run out


def part(name, source):
    """A function of a part of the harness that is compiled at its first use."""
    if name not in globals():
        exec(compile(source, '<harness>', 'exec'), globals())
    return globals()[name]


def with_standard_path(name):
    """Imports for the harness: never a file of the workspace."""
    path, sys.path = sys.path, list(STANDARD_PATH)
    try:
        return __import__(name)
    finally:
        sys.path = path


class ImportHook:
    waiting = {'linecache', 'threading'}

    def find_spec(self, name, path=None, target=None):
        if name in self.waiting:
            self.waiting.remove(name)
            return part('prepare_module', ERRORS)(name)


def hide_channel():
    """Out of the way of low numbers, and closed in every child: one run, one result."""
    global CHANNEL
    try:
        CHANNEL = posix.dup2(CHANNEL, 1000, inheritable=False)
        posix.close(4)
    except OSError:
        posix.set_inheritable(CHANNEL, False)
    posix.register_at_fork(after_in_child=close_channel)


def close_channel():
    global CHANNEL
    channel, CHANNEL = CHANNEL, -1
    if channel >= 0:
        try:
            posix.close(channel)
        except OSError:
            pass


def send(text, write=posix.write):
    data = memoryview(text.encode('ascii'))
    try:
        while CHANNEL >= 0 and len(data) > 0:
            data = data[write(CHANNEL, data):]
    except OSError:
        pass


def compile_code(source):
    """The code with its last expression, if it ends in one, assigned to LAST; await is allowed at top level."""
    ast_only, top_level_await = 0x400, 0x2000
    tree = compile(source, NAME, 'exec', ast_only | top_level_await, dont_inherit=True)
    if tree.body and type(tree.body[-1]) is _ast.Expr:
        last = tree.body[-1]
        place = {name: getattr(last, name) for name in ('lineno', 'col_offset', 'end_lineno', 'end_col_offset')}
        target = _ast.Name(LAST, _ast.Store(), **place)
        tree.body[-1] = _ast.Assign([target], last.value, None, **place)
    return compile(tree, NAME, 'exec', top_level_await, dont_inherit=True)


def execute(source, namespace):
    code = compile_code(source)
    outcome = eval(code, namespace)
    if code.co_flags & 0x80:  # a coroutine: there is an await at top level
        with_standard_path('asyncio').run(outcome)


def exit_code_of(exit):
    """As the interpreter treats SystemExit."""
    code = exit.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code)
    print(code, file=sys.stderr, flush=True)
    return 1


def result_of(namespace):
    last = namespace.pop(LAST, None)
    return namespace['_'] if '_' in namespace else last


def prepare_interpreter():
    sys.argv = [NAME]
    sys.orig_argv = [sys.executable, NAME]
    sys.path.insert(0, posix.getcwd())
    builtins.exit = _sitebuiltins.Quitter('exit', 'Ctrl-D (i.e. EOF)')
    builtins.quit = _sitebuiltins.Quitter('quit', 'Ctrl-D (i.e. EOF)')
    builtins.help = _sitebuiltins._Helper()
    sys.excepthook = lambda *arguments: part('show', ERRORS)(*arguments)
    sys.unraisablehook = lambda arguments: part('show_unraisable', ERRORS)(arguments)
    sys.meta_path.insert(0, ImportHook())


def main_module():
    module = type(sys)('__main__')
    module.__builtins__ = builtins
    sys.modules['__main__'] = module
    return module


def run():
    global RESERVE, SOURCE
    with open(3, 'rb', buffering=0) as stream:
        SOURCE = stream.readall().decode('utf-8').removeprefix('\ufeff')
    hide_channel()
    prepare_interpreter()
    namespace = main_module().__dict__
    exit_code, memory_error, result = 0, False, None
    try:
        execute(SOURCE, namespace)
        result = result_of(namespace)
    except SystemExit as exit:
        exit_code = exit_code_of(exit)
        result = result_of(namespace)
    except BaseException as error:
        RESERVE = None
        memory_error = isinstance(error, MemoryError)
        exit_code = 130 if isinstance(error, KeyboardInterrupt) else 1
        part('show_uncaught', ERRORS)(error)
    RESERVE = None
    if memory_error:
        send('{"result":null,"memory_error":true,"truncated":false}')
    elif CHANNEL >= 0 and result is not None:
        send(part('envelope', RESULT)(result))
    close_channel()
    return exit_code


sys.exit(run())
