# frozen_string_literal: true

module Conformance
  module Fuzz
    # The words of the random environments: names that often collide, and every odd spelling that Puppet reads specially.
    module Vocabulary
      KEYS = %w[a b c d e f g h].freeze
      ODD_KEYS = ['a.b', 'sp ace', '1', 'k%{number}', '', 'yes', "it's", 'x.y.z', 'lookup_options2', 'é'].freeze
      MEMBERS = %w[x y z a b].freeze
      MODULES = %w[m1 m2].freeze
      SEGMENTS = ['x', 'y', 'z', 'a', 'b', '0', '1', '2', '-1', '01', "'1'", '"x"', "'a.b'", ' x ', '1.5', 'nope', "''",
                  '', "'x'y", '+1', ':1', 'yes', "' x '"].freeze

      FACTS = {
        'clientcert' => 'node1.example.com', 'os' => { 'family' => 'Debian', 'name' => 'Debian',
                                                       'release' => { 'full' => '12.11', 'major' => '12' } },
        'networking' => { 'fqdn' => 'node1.example.com', 'ip' => '192.0.2.10' },
        'text' => 'some', 'empty' => '', 'number' => 42, 'ratio' => 2.5, 'big' => 1e20, 'flag' => true, 'off' => false,
        'nothing' => nil, 'list' => %w[a b c], 'numbers' => [1, 2, 3], 'empty_list' => [],
        'map' => { 'k' => 'v', 'n' => { 'a' => 1, 'b' => [1, 'two'] }, '1' => 'one' }, 'mixed' => ['a', 5, ['b'], nil],
        'token' => '%{text}', 'deep_token' => '%{token}', 'call' => "%{lookup('a')}", 'selfref' => '%{selfref}',
        'literal_call' => "%{literal('%')}{text}", 'with space' => 'spaced', 'key_name' => 'b', 'dashes' => '--',
        'star' => '*', 'strategy' => 'deep', 'quote' => "it's", 'lines' => "one\ntwo", 'umlaut' => 'ü'
      }.freeze
      VARIABLES = { 'role' => 'web', 'tier' => nil, 'zones' => %w[z1 z2] }.freeze

      # Expressions of variables, the ordinary ones first.
      KNOWN = %w[text number flag off list map ratio os.family facts.os.family facts.text ::text ::facts.text role zones
                 trusted.certname trusted.domain server_facts.environment environment list.0 numbers.2 map.n.a map.k
                 token networking.ip empty nothing tier big].freeze
      ODD_VARIABLES = ["'text'", "'map'.n.b", 'map.n.b.1', 'map . k', 'with space', 'list.-1', 'list.7', 'map.nope',
                       'facts.nope', 'trusted.extensions.pp_role', 'call', 'deep_token', 'literal_call', 'lines',
                       'map."k"', "map.'1'", 'map.1', 'mixed', 'umlaut', 'module_name', '0', 'tmp', 'quote',
                       'mixed.2.0', '::map.n', 'facts', 'serverversion', 'trusted', 'list.+1', 'list.01'].freeze
      UNKNOWN = ['nope', '::nope', 'nope.x', 'm1::v', 'm1::v.x', '::m1::v', 'lookup(a)', 'lookup()', 'a b', 'calling_class',
                 'text.x', 'number.x', 'list.x', 'ratio.x', 'flag.x', 'selfref', 'nothing.x', 'facts.nothing.x', '%{text',
                 'text:x', '$text', '-', '::', "''", '""', "'::'", '"::"', ' ', '', 'os.release.full.x', 'map.n.b.x',
                 'big.x', 'ex-tra', 'Text', '{text'].freeze
      # Expressions that are not valid keys.
      MALFORMED = ["facts['os']", "lookup( 'a' )", "lookup ('a')", "lookup('a','b')", "lookup('')", "literal('')", 'a..b',
                   '.a', 'a.', "'a", "a'b", "''.x", "Lookup('a')", "zork('a')", "scope('facts['os']')", "lookup('o}x')",
                   "lookup('a\")", "alias('a') x", "lookup('a').x", "hiera('a' )", "lookup(\"a'b\")", "lookup('a..b')",
                   "scope('a..b')", "alias('.x')", "literal('a..b')", "lookup('lookup_options')", "lookup('1.x')",
                   "lookup('lookup_options.a')", "lookup(' a ')", "lookup(' a . x ')", "scope('::text')",
                   "scope(' text ')", "lookup('::a')", "scope('nope')", "scope('')"].freeze
      LITERALS = ['%', 'x', '}', '%{', ' ', "%", 'a.b', '{', '::'].freeze

      # Scalars as a YAML file may spell them.
      SCALARS = %w[true yes on false no off tRue OFF y n Y N ~ null NULL Null 0777 0_7 00 +0777 08 0888 0o14 0x1F -0x1f
                   0b101 0X1f 0b12 0x 1_000 1,000 1,0,0 9,223 -1,0 1__0 1_ _1 99999999999999999999 -99999999999999999999
                   1.5 .5 5. +.5 01.5 1_000.5 1,000.5 . -. + 0.1_5 1.5E-3 1.e+3 1e3 1E3 1.5e3 1e+3 12e03 1.5e+300 .inf
                   +.inf -.inf .nan .NaN 1:30 12:30 1:30:00 190:20:30 -1:30 1:60 1:30.5 24:00 52:54:00 22:22 8080:80
                   2001-13-45 2001-12-14T21 1.2.3 1/2 = -1 0 -0 +1 1.0 -0.0 0.1 1e-5 1.0e-5 1.0e+16 123456789012345680.0
                   9223372036854775807 9223372036854775808 -9223372036854775808 0x7fffffffffffffff 0xffffffffffffffff
                   0777777777777777777777777 1:2:3:4 1.1_1 1_1.5e+2 -.5e+1 +1:30 -0b11 +0x1f 0x1_f 0b1_0 1:30:60 -1_0
                   +12,5 12,34.5 .5e+2 1.5e+2 -1.5 +1.5 0.5e-1 01 -07 -08 +08 09.5 1.,5 .1,5 ,1 -,1].freeze
      ODD_SCALARS = ["'2001-02-03 04:05:06.5 CET'", '2001-2-3', '1-02:03:04.5', '1.2.3-rc1', '{seconds: 5}', ':sym', ':a:b', '::a', ':"q r"', ":'s'", '"quoted"', "'single'", '"\\u00e9\\t\\x41"', "''", '""', "'it''s'",
                     '!!str 5', "!!int '12'", '!!float 1', "!!bool 'yes'", '!!binary aGVsbG8=', '!foo 1', '!complex text',
                     '!!null x', '!!int foo', '!str 0x1f', "!!int '0x1f'", '!!float 1e3', '!!float .inf', '!!null',
                     '!!bool x', '!ruby/sym x', '!!int 1_000', "!!int ''", '!!str', '!!str ~', '! 5', '!!float 0x1f',
                     '!!binary /w==', '!!int 1.5', '!!float 12', '!<tag:yaml.org,2002:str> 5',
                     "!!float '1.5'", "!!int '5x'", '!!omap [a: 1, b: 2]', '!!pairs [a: 1]', '!!seq [1]', '!!map {x: 1}',
                     '!foo {x: 1}', '!foo [1, 2]', '[a: 1]', '{x}', '{x, y: 1}', '[? x : 1]', '[]', '{}', '[~, ~]', '{x: ~}',
                     '{1: a, x: b}', '{1.5: a}', '{yes: a}', '{~: a}', '{:s: a}', '{"1": a, 1: b}', '{x: 1, x: 2}',
                     '{[1]: a}', '{? {a: 1} : b}', '[1, 1, 1.0]', '{x: [:s]}', '{0x1f: a, 31: b}', '{1: {2: {3: x}}}',
                     '{"%{text}": 1}', "{\"%{alias('a')}\": 1}", '{"k%{number}": 1, k42: 2}', '[[], {}]', '{"": 1}',
                     "{'a.b': 1, 'a': {b: 2}}", '{-1: a, 0: b}', '{<<: {x: 1}, x: 2}', '{x: 2, <<: {x: 1, y: 3}}',
                     '{"<<": {x: 1}}', '{<<: text}', '{<<: [{x: 1}, {x: 2, y: 3}]}', '{<<: [{x: 1}, 5]}', '{<<: ~}',
                     '{<<: {x: 1}, <<: {x: 2}}', '{x: {<<: {a: 1}, b: 2}}', '{<<: []}'].freeze
      # Scalars that make the whole file unreadable.
      FATAL_SCALARS = ['2001-01-01', '2001-01-01T00:00:00Z', '2001-02-30', '2001-12-14 21:59:43.10 -5', '!!set {a}',
                       '!ruby/regexp /x/', '!ruby/object:Object {}', '!!timestamp 2001-01-01', '*unknown', '!!float foo',
                       '!ruby/range 1..2', "!!float ''", '!ruby/struct:X {a: 1}', '!ruby/class X', '!ruby/symbol x',
                       '!ruby/hash:X {a: 1}', '!ruby/array:X [1]', '!ruby/string:X x', '!ruby/exception:X {message: x}',
                       '!ruby/object:Set {hash: {}}', '!!float 1_000.5', '!ruby/object:Complex {real: 1, image: 2}'].freeze
      # Texts after a key that need more than one line; KEY is replaced.
      SNIPPETS = ["KEY: |\n  one %{text}\n  two\n", "KEY: >-\n  folded\n  text\n\n  para\n", "? KEY\n: explicit\n",
                  "KEY: plain\n  continued # comment\n", "KEY: \"double\n  quoted\\\n  lines\"\n", "KEY:\n- a\n- b\n",
                  "KEY: # comment\n  x: 1\n", "KEY: |+\n  keep\n\n", "KEY: |2\n    indented\n", "KEY:\tafter tab\n",
                  "KEY: first\nKEY: second\n", "KEY: {x: 1,\n  y: [a,\n  b]}\n", "'KEY': quoted key\n",
                  "\"KEY\" : spaced colon\n", "KEY: &R1 {x: 1}\n<<: *R1\n", "<<: {KEY: merged, a: merged}\n",
                  "KEY: {x: 1}\n<<: {KEY: {y: 2}}\n", "? [complex]\n: KEY\n", "1: KEY\n", "yes: KEY\n", "~: KEY\n",
                  ":KEY: symbol key\n", "KEY: 'single\n\n  quoted'\n", "KEY: &A1 text\nb: *A1\n", "1.5: KEY\n",
                  "KEY: >\n  a %{list}\n   b\n  c\n", "!!str KEY: tagged\n", "KEY: |-\n  %{lookup('a')}\n",
                  "KEY:\n  ? x\n  : 1\n  ? y\n", "KEY:\n  - - 1\n    - 2\n  - x: 1\n    y: 2\n"].freeze
      BROKEN_FILES = ["a: [1, 2\n", "a: b: c\n", "a: 'open\n", "\ta: 1\n", "- list\n", "text\n", "5\n", "", "# nothing\n",
                      "---\n", "false\n", "null\n", "a: \"\\q\"\n", "a: 1\n b: 2\n", "%YAML 9.9\n---\na: 1\n", "a: @x\n",
                      "a: `x\n", "a: 1\n---\nb: 2\n", "a: 1\n...\nb: 2\n", "\ufeffa: 1\n", "\ufeffa: 1\nb: 2\n", "{a: 1\n",
                      "a: 1\r\nb: 2\r\n", "a: \u0001\n", "a: - b\n", "a: {x: 1}}\n", "a: &x\n  - *x\n", "a: %x\n", "a: !<\n",
                      "a: |3x\n  b\n", "? a\n? b\n", "a: [x]: y\n", "key\n", "a: *\n", "a: &\n", "a: 1\na\n", "'a\n': 1\n",
                      "a: \"x\" y\n", "- a\nb: 1\n", "a:\n- b\n  c: 1\n", "a: !!str : x\n", "a: >\n\tx\n", ":a\n", "[a\n",
                      "!!set {a}\n", "--- !foo\na: 1\n", "--- a\n", "--- {a: 1}\n", "... \na: 1\n", "a: 1 # x\n#y\n"].freeze
      BROKEN_JSON = ['', 'null', '[]', '5', '{"a": 1,}', '{"a": NaN}', "{'a': 1}", '{"a": 1', '{"a": 1} x', '// c', 'true',
                     '{"a": 1, "a": 2}', '/* c */ {"a": 1}', "{\"a\": \"x\ny\"}", '{"a": 01}', '{"a": .5}', '{a: 1}', '"x"',
                     '{"a": 1e3, "b": 1E400, "c": -0, "d": 1.0, "e": 12345678901234567890}', '{"a": "\ud83d"}', ' ', '{',
                     '{"a": "\q"}', '{"a" 1}', '{"a": tru}', "\ufeff{}", '{"a": -}', '{"a": Infinity}', '{"a": "x'].freeze

      STRATEGIES = %w[first unique hash deep].freeze
      ODD_MERGES = ['default', 'unconstrained_deep', 'reverse_deep', { 'strategy' => 'deep' }, { 'strategy' => 'hash' },
                    { 'strategy' => 'unconstrained_deep', 'overwrite_arrays' => true },
                    { 'strategy' => 'unconstrained_deep', 'unpack_arrays' => ',' },
                    { 'strategy' => 'unconstrained_deep', 'extend_existing_arrays' => true },
                    { 'strategy' => 'unconstrained_deep', 'keep_array_duplicates' => true },
                    { 'strategy' => 'unconstrained_deep', 'preserve_unmergeables' => true },
                    { 'strategy' => 'unconstrained_deep', 'merge_nil_values' => true },
                    { 'strategy' => 'unconstrained_deep', 'knockout_prefix' => '--' },
                    { 'strategy' => 'unconstrained_deep', 'sort_merged_arrays' => true },
                    { 'strategy' => 'reverse_deep', 'knockout_prefix' => '--' },
                    { 'strategy' => 'reverse_deep', 'overwrite_arrays' => true },
                    { 'strategy' => 'reverse_deep', 'merge_hash_arrays' => true }, { 'strategy' => 'first' },
                    { 'strategy' => 'unique' }, { 'strategy' => 'default' }].freeze
      BAD_MERGES = ['zork', 'Deep', '', { 'strategy' => 'zork' }, { 'strategy' => 'deep', 'zork' => true }, {},
                    { 'strategy' => 'deep', 'knockout_prefix' => 5 }, { 'strategy' => 'hash', 'x' => 1 },
                    { 'knockout_prefix' => '--' }, { 'strategy' => 'deep', 'knockout_prefix' => '' },
                    { 'strategy' => 'deep', 'sort_merged_arrays' => 'yes' }, { 'strategy' => 5 },
                    { 'strategy' => 'deep', 'merge_hash_arrays' => nil }, { 'strategy' => 'unique', 'a' => 1, 'b' => 2 },
                    { 'strategy' => 'unconstrained_deep', 'zork' => 1 }, { 'strategy' => 'deep', 'merge_debug' => false },
                    { 'strategy' => 'deep', 'overwrite_arrays' => true }, { 'strategy' => '' },
                    { 'strategy' => 'reverse_deep', 'knockout_prefix' => '' }].freeze
      PREFIXES = ['--', '--', '--', '-', 'x', '+.', '[ab]', '!', '(', 'a|b', '^', '--|x'].freeze

      PATTERNS = ['^a', '^[ab]$', '^[c-f]', '^(a|b|g)$', '^.\z', '^\w+$', '^(?i)A', '^(?!a)', '^h', '^k\d', '^m1::',
                  '^m1::(a|b)$', '^m2::.*', '^', '^m', '^(?<n>a)', '^[[:alpha:]]$', '^a\Z', '^.+::b', '^c|^d'].freeze
      BAD_PATTERNS = ['^a(', '^[a', '^*', '^(?<n', '^a{2', '^(m1::a)', '.*a', '^m1:a', '^\\', '^a)', '^(?z)a'].freeze

      CONVERSIONS = ['String', 'Integer', 'Float', 'Boolean', 'Array', 'Hash', 'Sensitive', 'Numeric', ['Array', true],
                     ['Integer', 16], ['String', '%x'], ['String', '%p'], 'Optional[Integer]', 'Integer[0, 3]', 'String[1,3]',
                     'Array[Integer]', 'Hash[String, Integer]', ['Integer', 10, true], 'Sensitive[String]', 'Array[1]',
                     ['String', '%s'], ['String', '%d'], ['Array'], 'Tuple[String]', 'Struct[{x=>Integer}]'].freeze
      BAD_CONVERSIONS = ['not a type!', 'Set', 5, [], ['String', 1, 2, 3], 'integer', 'Any', 'Undef', 'Enum[a]', nil, {}, '',
                         'Pattern[/a/]', 'Scalar', 'Regexp', 'Type', 'Variant[Integer,String]', 'Default', 'Object',
                         ['Integer', 'x'], ['Integer', 7], ['Boolean', 1], 'Runtime', 'Callable', 'Collection', 'URI',
                         'Timestamp', 'Timespan', 'SemVer', 'Regexp', 'Type', 'Binary', 'Sensitive[5]', 'NotUndef', 'File', 'Integer['].freeze
      TYPES = ['String', 'Integer', 'Hash', 'Array', 'Array[String]', 'Optional[String]', 'Variant[Integer,String]',
               'Struct[{x=>Integer}]', 'Pattern[/a/]', 'Enum[a, b]', 'Tuple[String, Integer]', 'Boolean',
               'Numeric', 'NotUndef', 'Collection', 'Integer[0, 10]', 'String[1, 5]', 'Array[Integer, 1, 3]', 'Float', 'Any',
               'Undef', 'Scalar', 'Hash[String, String]', 'Hash[String, Array[Integer]]', 'Struct[{x=>Any, Optional[y]=>Any}]',
               'Array[Variant[String,Hash]]', 'Sensitive', 'Regexp', 'Tuple[String, 1, 3]', 'Hash[Enum[x], Any]', 'Iterable',
               'Optional[Integer[1]]', 'Array[0, 1]', 'Hash[0, 1]', 'String[2]', 'ScalarData', 'Boolean[true]',
               'Variant[Array[String], Hash[String, Integer], Boolean]', 'Type', 'Pattern[/^a/, /b$/]'].freeze
    end
  end
end
