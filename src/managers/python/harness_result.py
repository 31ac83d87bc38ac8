# The result as JSON of any value, bounded in size and depth. The forms are documented in docs/python-results.md.
# A part of the harness, compiled only when a value asks for it.
MAX_DEPTH = 32
MAX_RESULT = 1 << 20
MAX_REPR = 10000


class ResultWriter:
    def __init__(self):
        self.parts = []
        self.left = MAX_RESULT
        self.truncated = False
        self.open = set()
        try:
            from _json import encode_basestring_ascii
        except ImportError:
            from json.encoder import encode_basestring_ascii
        self.quote = encode_basestring_ascii

    def put(self, text):
        self.left -= len(text)
        self.parts.append(text)

    def text(self, value, limit=None):
        value = str.__str__(value)
        limit = max(self.left, 0) if limit is None else min(limit, max(self.left, 0))
        if len(value) > limit:
            value = value[:limit] + '\u2026'
            self.truncated = True
        try:
            value.encode('utf-8')
        except UnicodeEncodeError:  # a lone surrogate is no character
            value = value.encode('utf-16-le', 'surrogatepass').decode('utf-16-le', 'replace')
        self.put(self.quote(value))

    def value(self, value, depth=0):
        kind = type(value)
        try:
            if value is None:
                self.put('null')
            elif kind is bool:
                self.put('true' if value else 'false')
            elif not self.special(value, kind, depth):
                self.plain(value, kind, depth)
        except BaseException:
            self.text('<%s that cannot be shown>' % kind.__name__)

    def plain(self, value, kind, depth):
        if issubclass(kind, str):
            self.text(value)
        elif issubclass(kind, int):
            self.integer(value)
        elif issubclass(kind, float):
            number = float.__repr__(value)
            names = {'nan': '"NaN"', 'inf': '"Infinity"', '-inf': '"-Infinity"'}
            self.put(names.get(number, number))
        elif issubclass(kind, dict):
            self.object(value, dict.items(value), dict.__len__(value), depth)
        elif issubclass(kind, tuple) and hasattr(kind, '_fields'):
            self.object(value, zip(kind._fields, value), len(value), depth)
        elif issubclass(kind, (list, tuple, range, type({}.keys()), type({}.values()), type({}.items()))):
            self.array(value, value, depth)
        elif issubclass(kind, (set, frozenset)):
            self.array(value, in_order(value), depth)
        elif issubclass(kind, (bytes, bytearray, memoryview)):
            self.binary(bytes(value))
        else:
            self.text(repr(value), MAX_REPR)

    def special(self, value, kind, depth):
        """Types of modules that only a run which imported them can have made."""
        def is_a(module, *names):
            module = sys.modules.get(module)
            return module is not None and issubclass(kind, tuple(getattr(module, name) for name in names))
        if kind in (str, int, float, dict, list, tuple):
            return False
        if is_a('enum', 'Enum'):
            self.value(value.value, depth)
        elif is_a('datetime', 'date', 'time'):
            self.text(value.isoformat())
        elif is_a('datetime', 'timedelta'):
            self.value(value.total_seconds())
        elif is_a('decimal', 'Decimal') or is_a('fractions', 'Fraction') or is_a('uuid', 'UUID'):
            self.text(str(value))
        elif is_a('pathlib', 'PurePath'):
            self.text(str(value))
        elif is_a('collections', 'deque'):
            self.array(value, value, depth)
        elif isinstance(getattr(kind, '__dataclass_fields__', None), dict):
            names = [name for name, field in kind.__dataclass_fields__.items() if field._field_type.name == '_FIELD']
            self.object(value, [(name, getattr(value, name, None)) for name in names], len(names), depth)
        else:
            return False
        return True

    def integer(self, value):
        number = int(value)
        try:
            digits = int.__repr__(number)
        except ValueError:  # more digits than Python converts
            digits = hex(number)
        if -(1 << 53) < number < (1 << 53):
            self.put(digits)
        else:
            self.text(digits)

    def binary(self, value):
        import binascii
        room = max(self.left, 0) * 3 // 4
        self.truncated = self.truncated or len(value) > room
        self.put('{"base64":"%s"}' % binascii.b2a_base64(value[:room], newline=False).decode('ascii'))

    def enter(self, value, depth):
        """Whether the inside of a container may be written; if not, what stands for it has been."""
        if id(value) in self.open:
            self.text('<cycle>')
        elif depth >= MAX_DEPTH:
            self.text('<%s nested too deep>' % type(value).__name__)
            self.truncated = True
        else:
            self.open.add(id(value))
            return True
        return False

    def array(self, value, items, depth):
        if not self.enter(value, depth):
            return
        start = len(self.parts)
        try:
            self.put('[')
            for index, item in enumerate(items):
                if index:
                    self.put(',')
                if self.left <= 0:
                    self.text_of_rest(len(value) - index)
                    break
                self.value(item, depth + 1)
            self.put(']')
        except BaseException:  # an iterator of the code's own that fails
            del self.parts[start:]
            raise
        finally:
            self.open.discard(id(value))

    def object(self, value, items, length, depth):
        if not self.enter(value, depth):
            return
        start = len(self.parts)
        try:
            self.put('{')
            seen = set()
            for index, (key, item) in enumerate(items):
                if index:
                    self.put(',')
                if self.left <= 0:
                    self.put('"\\u2026":')
                    self.text_of_rest(length - index)
                    break
                self.put(self.quote(self.key(key, seen)) + ':')
                self.value(item, depth + 1)
            self.put('}')
        except BaseException:
            del self.parts[start:]
            raise
        finally:
            self.open.discard(id(value))

    def text_of_rest(self, count):
        self.truncated = True
        self.put('"\\u2026 %d more"' % count)

    def key(self, key, seen):
        kind = type(key)
        if issubclass(kind, str):
            name = str.__str__(key)
        elif key is None or kind is bool:
            name = {None: 'null', True: 'true', False: 'false'}[key]
        else:
            name = repr(key)
        name = name[:1000].encode('utf-8', 'replace').decode('utf-8')
        if name in seen:  # 1 and '1' are two keys
            name = repr(key)[:1000].encode('utf-8', 'replace').decode('utf-8')
        while name in seen:
            name += "'"
        seen.add(name)
        return name


def in_order(items):
    try:
        return sorted(items)
    except BaseException:
        return sorted(items, key=repr)


def envelope(value):
    writer = ResultWriter()
    writer.value(value)
    return '{"result":%s,"memory_error":false,"truncated":%s}' % (
        ''.join(writer.parts), 'true' if writer.truncated else 'false')
