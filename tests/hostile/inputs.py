"""Workspaces and messages that try to crash the program or to exhaust the machine: small texts that could cause endless work.

Each input is a workspace (files, links, folders) with the key to look up, the file that the editor opens, and the other messages
that an editor sends. `run` describes the commands."""

import json
import os

#: All inputs, in the order of this file.
INPUTS = []


class Input:
    """One workspace. `special` makes what is not a file with a text; `messages` are bodies as an editor sends them."""

    def __init__(self, name, files, *, key="k", opened=None, special=None, messages=(), requests=(), ends=False, uri=None, reads_disk=False):
        self.name, self.key, self.special = name, key, special
        self.files = {"hiera.yaml": LEVEL, "data/c.yaml": "k: 1\n", "data/other.yaml": "k: 2\n", **files}
        self.opened = opened or next(iter(files), "data/c.yaml")
        self.messages, self.requests, self.ends, self.uri = messages, requests, ends, uri
        #: Whether the work depends on the machine's disk. The program reads at most 2 GB of it.
        self.reads_disk = reads_disk
        INPUTS.append(self)


def hierarchy(*levels):
    return "version: 5\nhierarchy:\n" + "".join(f"  - {{name: L{n}, {level}}}\n" for n, level in enumerate(levels))


LEVEL = hierarchy("path: other.yaml", "path: c.yaml")
HOCON = hierarchy("path: other.yaml", "data_hash: hocon_data, path: c.conf")
JSON = hierarchy("path: other.yaml", "data_hash: json_data, path: c.json")
EYAML = hierarchy("path: other.yaml", "lookup_key: eyaml_lookup_key, path: c.eyaml")


def data(name, text, **more):
    Input(f"YAML: {name}", {"data/c.yaml": text}, **more)


def hocon(name, text, **more):
    Input(f"HOCON: {name}", {"data/c.conf": text, "hiera.yaml": HOCON}, **more)


def json_data(name, text, **more):
    Input(f"JSON: {name}", {"data/c.json": text, "hiera.yaml": JSON}, **more)


def config(name, text, **more):
    Input(f"hiera.yaml: {name}", {"hiera.yaml": text}, **more)


def special(name, make, files=None, **more):
    Input(f"files: {name}", files or {}, special=make, **more)


def settings(name, text, **more):
    Input(f".hiera-ls.yaml: {name}", {".hiera-ls.yaml": text}, **more)


def manifest(name, text, **more):
    Input(f"manifest: {name}", {"modules/m/manifests/init.pp": text, "modules/m/data/x.yaml": ""}, **more)


def message(name, *bodies, **more):
    Input(f"message: {name}", {}, messages=bodies, **more)


def lines(count, line):
    return "".join(line(number) for number in range(count))


# --- YAML

data("nothing", "")
data("only a byte order mark", "\ufeff")
data("NUL bytes", "a: \0\0\0\nk: 1\n" * 1000)
data("random bytes", os.urandom(1 << 20))
data("broken UTF-8", b"a: \xff\xfe\xc3\nk: \x80\n" * 1000)
data("UTF-16", "k: 1\n".encode("utf-16"))
data("100,000 open brackets", "k: " + "[" * 100_000)
data("100,000 brackets that close", "k: " + "[" * 100_000 + "]" * 100_000)
data("20,000 open braces", "k: " + "{a: " * 20_000)
data("3,000 levels of hashes", lines(3000, lambda n: " " * n + "a:\n"))
data("20,000 lists in one line", "k:\n  " + "- " * 20_000 + "1\n")
data("aliases for 9^9 values", "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + lines(9, lambda n: f"a{n + 1}: &a{n + 1} [{','.join([f'*a{n}'] * 9)}]\n") + "k: *a9\n")
data("an alias within its own anchor", "k: &a [1, *a]\nm: &b {c: *b}\n")
data("8,000 equal keys", "k: 1\n" * 8_000)
data("16,000 equal keys", "k: 1\n" * 16_000)
data("16,000 equal keys below a key", "k:\n" + "  a: 1\n" * 16_000)
data("100,000 keys", lines(100_000, lambda n: f"a{n}: 1\n") + "k: 1\n")
data("a string of 20 MB", "k: '" + "a" * (20 << 20) + "'\n")
data("a list of 10 MB", "k:\n" + "  - aaaaaaaa\n" * 800_000)
data("a quote that does not close", "k: \"\n" + lines(50_000, lambda n: f"a{n}: 1\n"))
data("quotes that do not close", lines(20_000, lambda n: f"a{n}: \"\n"))
data("a bracket that does not close", "k: [\n" + lines(50_000, lambda n: f"a{n}: 1\n"))
data("brackets that do not close", lines(20_000, lambda n: f"a{n}: [\n"))
data("20,000 anchors", lines(20_000, lambda n: f"a{n}: &x{n} {{b: 1}}\nb{n}: *x{n}\n"))
data("20,000 documents", "---\nk: 1\n" * 20_000)
data("2,000 merge keys that lead to one another", "a0: &a0 {b: 1}\n" + lines(2000, lambda n: f"a{n + 1}: &a{n + 1} {{<<: *a{n}, c{n}: 1}}\n") + "k: *a2000\n")
data("a merge key that doubles", "a0: &a0 {b: 1}\n" + lines(40, lambda n: f"a{n + 1}: &a{n + 1} {{<<: [*a{n}, *a{n}], c{n}: 1}}\n") + "k: *a40\n")
data("a number of 2 million digits", "k: " + "9" * 2_000_000 + "\n")
data("a hexadecimal number of 2 million digits", "k: 0x" + "f" * 2_000_000 + "\n")
data("a number with 700,000 underscores", "k: " + "1_" * 700_000 + "1\n")
data("a float with a huge exponent", "k: 1.0e999999999999\nm: -1e-99999999\n")
data("a float of 2 million digits", "k: 1." + "9" * 2_000_000 + "\n")
data("a sexagesimal number of 500,000 parts", "k: 1" + ":59" * 500_000 + "\n")
data("odd tags", "k: !ruby/object:Gem::Requirement {a: 1}\nm: !!binary '@@'\nn: !!set {a, b}\no: !!omap [a: 1]\n")
data("a tag of 1 MB", "k: !" + "a" * (1 << 20) + " 1\n")
data("keys that are lists", "? [a, b]\n: 1\n? {c: d}\n: 2\n" * 2000)
data("a key of 1 MB", "k" * (1 << 20) + ": 1\nk: 1\n")
data("comments of 10 MB", "# aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n" * 280_000 + "k: 1\n")
data("tabs", "k:\n\ta: 1\n" * 5000)
data("lone carriage returns", "a: 1\rk: 2\r" * 20_000)
data("line ends of Unicode", "a: 1\u2028k: 2\u2029\u0085" * 5000)
data("10,000 directives", "%YAML 1.1\n" * 10_000 + "---\nk: 1\n")
data("a block of 500,000 lines", "k: |\n" + "  a\n" * 500_000)
data("20,000 aliases without an anchor", lines(20_000, lambda n: f"a{n}: *nothing\n"))
data("1 MB of colons", "k: " + "a:" * 500_000 + "\n")
data("1 MB of backslashes", "k: \"" + "\\\\" * 500_000 + "\"\n")
data("astral characters", "😀: 😀\n" * 5000 + "k: 😀\n")

# --- interpolation and lookups

data("%{…} 4,000 times", "k: '" + "%{a}" * 4_000 + "'\n")
data("%{…} 10,000 times", "k: '" + "%{a}" * 10_000 + "'\n")
data("%{…} 100,000 times", "k: '" + "%{facts.a}" * 100_000 + "'\n")
data("%{lookup(…)} 10,000 times", "a: 1\nk: \"" + "%{lookup('a')}" * 10_000 + "\"\n")
data("%{lookup(…)} of nothing, 10,000 times", "k: \"" + "%{lookup('a::b')}" * 10_000 + "\"\n")
data("%{ 200,000 times", "k: '" + "%{" * 200_000 + "'\n")
data("%{literal('%')} 20,000 times", "k: \"" + "%{literal('%')}" * 20_000 + "\"\n")
data("a name of 1 MB in %{…}", "k: '%{" + "a" * (1 << 20) + "}'\n")
data("a key path of 100,000 segments in %{…}", "k: \"%{lookup('" + "a." * 100_000 + "b')}\"\n")
data("40 levels that each look up the next twice", "k0: x\n" + lines(40, lambda n: f"k{n + 1}: \"%{{lookup('k{n}')}}%{{lookup('k{n}')}}\"\n"), key="k40")
data("5 levels of ten lookups, of 1 MB", "k0: " + "x" * (1 << 20) + "\n" + lines(5, lambda n: f"k{n + 1}: \"" + f"%{{lookup('k{n}')}}" * 10 + "\"\n"), key="k5")
data("2,000 lookups of 1 MB", "k0: " + "x" * (1 << 20) + "\nk: \"" + "%{lookup('k0')}" * 2_000 + "\"\n")
data("aliases with lists for 6^9 values", "k0: [1]\n" + lines(9, lambda n: f"k{n + 1}: [" + ", ".join([f"\"%{{alias('k{n}')}}\""] * 6) + "]\n"), key="k9")
data("a chain of 5,000 lookups", "k0: 1\n" + lines(5000, lambda n: f"k{n + 1}: \"%{{lookup('k{n}')}}\"\n"), key="k5000")
data("a lookup of itself", "k: \"%{lookup('k')}\"\n")
data("lookups of one another", "k: \"%{lookup('m')}\"\nm: \"%{alias('k')}\"\n")
data("a key with 10,000 dots", "k: {a: 1}\n", key="k" + ".a" * 10_000)
data("a key with quotes that do not close", "k: {a: 1}\n", key="k.'a" + '"' * 1000)
data("a key of 100 KB", "k: {a: 1}\n", key="k" * 100_000)
data("a key of control characters", "k: 1\n", key="\x1b[31m\r\nk")

# --- lookup_options

def options(name, entries, keys, **more):
    data(name, "lookup_options:\n" + entries + keys, **more)


options("10,000 patterns, 10,000 keys", lines(10_000, lambda n: f"  '^a{n}::.*': {{merge: deep}}\n"), lines(10_000, lambda n: f"a{n}::b: {{c: 1}}\n"), key="a1::b")
options("200 patterns with look-around, 2,000 keys", lines(200, lambda n: f"  '^(?!a{n}::)(a*)*b(?=.*{n})': {{merge: deep}}\n"), lines(2000, lambda n: f"{'a' * 30}{n}::c: 1\n"))
options("200 patterns with back references, 2,000 keys", lines(200, lambda n: f"  '^(a+)+\\1{n}$': {{merge: deep}}\n"), lines(2000, lambda n: f"{'a' * 30}{n}: 1\n"))
options("a pattern that goes back for ever", "  '^(a+)+$': {merge: deep}\n", lines(200, lambda n: f"{'a' * 60}{n}b: 1\n"))
options("a look-around that goes back for ever", "  '^(?=(a+)+$)': {merge: deep}\n", lines(200, lambda n: f"{'a' * 60}{n}b: 1\n"))
options("huge repetitions", "  '^(a{1,9999}){1,9999}': {merge: deep}\n  '^((a{1,100}){1,100}){1,100}': {merge: hash}\n", "k: {a: 1}\n")
options("a pattern of 1 MB", "  '^" + "a|" * 500_000 + "b': {merge: deep}\n", "k: {a: 1}\n")
options("a pattern of 20,000 groups within each other", "  '^" + "(" * 20_000 + ")" * 20_000 + "': {merge: deep}\n", "k: {a: 1}\n")
options("odd shapes", "  k: 1\n  '^(': {merge: deep}\n  m: {merge: {strategy: [1]}}\n  n: {convert_to: [1, 2, {}]}\n  o: [1]\n  p: null\n", "k: 1\nm: 2\nn: 3\n")
options("a type of 10,000 brackets", "  k: {convert_to: '" + "Array[" * 10_000 + "]" * 10_000 + "'}\n", "k: 1\n")
options("a type of 100,000 members", "  k: {convert_to: \"Enum[" + "'a', " * 100_000 + "'b']\"}\n", "k: 1\n")
options("Variant that doubles in a type", "  k: {convert_to: '" + "Variant[Integer, Array[" * 200 + "String" + "]]" * 200 + "'}\n", "k: [[[[1]]]]\n")
Input("lookup_options: deep merge of 50,000 keys", {"data/c.yaml": "lookup_options: {k: {merge: deep}}\nk:\n" + lines(50_000, lambda n: f"  a{n}: {{b: 1}}\n"), "data/other.yaml": "k:\n" + lines(50_000, lambda n: f"  a{n}: {{c: 1}}\n")})
Input("lookup_options: unique merge of 50,000 values", {"data/c.yaml": "lookup_options: {k: {merge: unique}}\nk:\n" + lines(50_000, lambda n: f"  - a{n}\n"), "data/other.yaml": "k:\n" + lines(50_000, lambda n: f"  - b{n}\n")})
Input("lookup_options: unique merge of 5,000 hashes", {"data/c.yaml": "lookup_options: {k: {merge: unique}}\nk:\n" + lines(5_000, lambda n: f"  - {{a: {{b: {n}}}}}\n"), "data/other.yaml": "k:\n" + lines(5_000, lambda n: f"  - {{a: {{c: {n}}}}}\n")})
Input("lookup_options: deep merge of lists of hashes", {"data/c.yaml": "lookup_options: {k: {merge: {strategy: deep, merge_hash_arrays: true, sort_merged_arrays: true, knockout_prefix: '--'}}}\nk:\n" + lines(20_000, lambda n: f"  - {{a: {n}}}\n"), "data/other.yaml": "k:\n" + lines(20_000, lambda n: f"  - {{b: {n}}}\n")})
Input("lookup_options: deep merge with 20,000 knockouts", {"data/c.yaml": "lookup_options: {k: {merge: {strategy: deep, knockout_prefix: '--'}}}\nk:\n" + lines(20_000, lambda n: f"  - a{n}\n"), "data/other.yaml": "k:\n" + lines(20_000, lambda n: f"  - --a{n}\n")})

# --- HOCON

hocon("a path of 5,000 names", "a." * 5_000 + "b = 1\n")
hocon("a path of 40,000 names", "a." * 40_000 + "b = 1\n")
hocon("k += 1, 4,000 times", "k += 1\n" * 4_000)
hocon("k += 1, 20,000 times", "k += 1\n" * 20_000)
hocon("k = ${k} [1], 4,000 times", "k = [1]\n" + "k = ${k} [1]\n" * 4_000)
hocon("substitutions that double", "a0 = [1]\n" + lines(40, lambda n: f"a{n + 1} = ${{a{n}}}${{a{n}}}\n") + "k = ${a40}\n")
hocon("texts that double", "a0 = " + "x" * 1000 + "\n" + lines(30, lambda n: f"a{n + 1} = ${{a{n}}}${{a{n}}}\n") + "k = ${a30}\n")
hocon("a chain of 5,000 substitutions", "a0 = 1\n" + lines(5000, lambda n: f"a{n + 1} = ${{a{n}}}\n") + "k = ${a5000}\n")
hocon("a substitution of itself", "k = ${k}\nm = ${n}\nn = ${m}\n")
hocon("includes", "include \"c.conf\"\ninclude \"/etc/passwd\"\ninclude url(\"http://127.0.0.1:9/x\")\nk = 1\n")
hocon("100,000 open braces", "k = " + "{a = " * 100_000)
hocon("100,000 open brackets", "k = " + "[" * 100_000)
hocon("a text that does not close", "k = \"" + "a" * 1_000_000)
hocon("three quotes that do not close", "k = \"\"\"" + "a\"\"" * 300_000)
hocon("${ 100,000 times", "k = " + "${" * 100_000)
hocon("5,000 equal objects", lines(5000, lambda n: f"k {{ a{n} = 1 }}\n"))
hocon("a value of 100,000 words", "k = " + "a " * 100_000 + "\n")
hocon("a number of 2 million digits", "k = " + "9" * 2_000_000 + "\n")
hocon("16,000 equal keys", "k = 1\n" * 16_000)
hocon("5,000 substitutions in one value", "a = 1\nk = " + "${a} " * 5_000 + "\n")

# --- JSON

json_data("100,000 open brackets", "[" * 100_000)
json_data("deep objects", '{"k": ' + '{"a": ' * 20_000 + "1" + "}" * 20_001)
json_data("a number of 2 million digits", '{"k": ' + "9" * 2_000_000 + "}")
json_data("a float of 2 million digits", '{"k": 0.' + "9" * 2_000_000 + "}")
json_data("16,000 equal keys", "{" + '"k": 1,' * 16_000 + '"k": 2}')
json_data("100,000 keys", "{" + lines(100_000, lambda n: f'"a{n}": 1,\n') + '"k": 2}')
json_data("halves of characters", '{"k": "\\ud83d", "\\ude00": 1}')
json_data("a text of 5 MB that does not close", '{"k": "' + "a" * (5 << 20))
json_data("numbers that are too large", '{"k": 1e999, "m": -1e999999999}')
json_data("more behind the end", '{"k": 1}' + "}" * 100_000)
json_data("broken UTF-8", b'{"k": "\xff"}')
json_data("NUL", '{"k": "\0"}\0')

# --- eyaml

def eyaml(name, text):
    Input(f"eyaml: {name}", {"data/c.eyaml": text, "hiera.yaml": EYAML})


eyaml("a blob of 2 MB", "k: ENC[PKCS7," + "A" * (2 << 20) + "]\n")
eyaml("10,000 blobs in one value", "k: '" + "ENC[PKCS7,AAAA]" * 10_000 + "'\n")
eyaml("ENC[ 100,000 times", "k: '" + "ENC[" * 100_000 + "'\n")
eyaml("20,000 blobs", lines(20_000, lambda n: f"a{n}: ENC[PKCS7,AAAA{n}]\n") + "k: ENC[GPG,AAAA]\n")

# --- hiera.yaml

config("nothing", "")
config("a list", "- 1\n")
config("another version", "version: 999999999999999999999999\nhierarchy: {}\n")
config("version 3", ":backends: [yaml, evil]\n:hierarchy: ['%{a}', {}]\n:yaml: {:datadir: /}\n")
config("broken", "version: 5\nhierarchy: [\n" + "  - {name: a\n" * 5_000)
config("braces 20,000 deep", hierarchy("glob: '" + "{" * 20_000 + "}" * 20_000 + "'"))
config("braces that multiply", hierarchy("glob: '" + "{a,b}" * 40 + "'"))
config("braces that multiply in 200 levels", hierarchy(*["glob: '" + "{a,b}" * 12 + "'"] * 200))
config("5,000 levels", hierarchy(*(f"path: p{n}.yaml" for n in range(5_000))))
config("20,000 levels", hierarchy(*(f"path: p{n}.yaml" for n in range(20_000))))
config("a level of 20,000 paths", hierarchy("paths: [" + ", ".join(f"p{n}.yaml" for n in range(20_000)) + "]"))
config("a level of 20,000 globs", hierarchy("globs: [" + ", ".join(f"'p{n}*.yaml'" for n in range(20_000)) + "]"))
Input("hiera.yaml: mapped_paths of 10,000", {"hiera.yaml": hierarchy("mapped_paths: [a, t, 'x/%{t}.yaml']"), "spec/factsets/n.yaml": "a: [" + ", ".join(f"p{n}" for n in range(10_000)) + "]\n"})
config("5,000 equal names", "version: 5\nhierarchy:\n" + "  - {name: a, path: c.yaml}\n" * 5_000)
config("NUL in a path", hierarchy('path: "a\\0b.yaml"'))
config("a path of 1 MB", hierarchy("path: '" + "a/" * 500_000 + "c.yaml'"))
config("%{…} 10,000 times in a path", hierarchy("path: '" + "%{facts.a}" * 10_000 + ".yaml'"))
config("%{…} within each other in a path", hierarchy("path: '" + "%{" * 5_000 + "}" * 5_000 + ".yaml'"))
config("paths that lead out", hierarchy("path: ../../../../etc/passwd", "path: /etc/shadow", "datadir: /etc, glob: '*'"))
config("datadir / with **", hierarchy("datadir: /, glob: '**/*.yaml'"), reads_disk=True)
config("datadir / with ** four times", hierarchy("datadir: /, glob: '**/**/**/**/*.yaml'"), reads_disk=True)
config("a glob of 10,000 brackets", hierarchy("glob: '" + "[" * 10_000 + "'"))
config("a glob of 1,000 stars", hierarchy("glob: '" + "*o" * 1_000 + "'"))
config("a glob of 1,000 **", hierarchy("glob: '" + "**/" * 1_000 + "*.yaml'"))
config("a URI of 5,000 segments", hierarchy("data_hash: yaml_data, uri: 'http://a/" + "a/../" * 5_000 + "'"))
config("an alias for 9^9 levels", "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + lines(9, lambda n: f"a{n + 1}: &a{n + 1} [{','.join([f'*a{n}'] * 9)}]\n") + "version: 5\nhierarchy: *a9\n")
config("options of 20,000 brackets", hierarchy("path: c.yaml, options: " + "[" * 20_000 + "]" * 20_000))
config("names with control characters and backticks", hierarchy('path: c.yaml').replace("L0", '"`a`\\e[31m\\n::error::x"'))

# --- .hiera-ls.yaml, fact sets

settings("facts: /**/*", "facts: ['/**/*']\n")
settings("facts: ../../../**/*", "facts: ['../../../../**/*']\n")
settings("100,000 brackets", "facts: " + "[" * 100_000 + "\n")
settings("aliases for 9^9 values", "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + lines(9, lambda n: f"a{n + 1}: &a{n + 1} [{','.join([f'*a{n}'] * 9)}]\n") + "facts: *a9\n")
settings("20,000 nodes", "nodes:\n" + lines(20_000, lambda n: f"  n{n}: {{facts: {{a: {n}}}}}\n"))
settings("modulepath /", "modulepath: [/, /usr, ../..]\nbasemodulepath: [/]\n")
settings("odd values", "facts: {a: [1]}\neyaml: 5\nnodes: [1]\ndiagnostics: [[[]]]\nmodulepath: null\n")
Input("facts: a number of 2 million digits", {"spec/factsets/n.json": '{"values": {"a": ' + "9" * 2_000_000 + "}}"})
Input("facts: 20,000 open brackets", {"spec/factsets/n.json": "[" * 20_000, "spec/factsets/m.yaml": "a: " + "[" * 20_000, "spec/factsets/o.facts": "{" * 20_000})
Input("facts: deep hashes, looked up", {"spec/factsets/n.json": '{"values": ' + '{"a": ' * 90 + "1" + "}" * 91, "data/c.yaml": "k: '%{facts." + "a." * 90 + "a}'\n"})
Input("facts: 2,000 fact sets", {f"spec/factsets/n{n}.yaml": f"a: {n}\nfqdn: n{n}.x\n" for n in range(2_000)})
Input("module: metadata.json of 20,000 brackets", {"modules/m/metadata.json": "[" * 20_000, "modules/m/hiera.yaml": "- " * 20_000, "environment.conf": "modulepath = " + "a:" * 50_000 + "\n"})

# --- manifests

manifest("100,000 open braces", "class m { " + "if true { " * 100_000)
manifest("100,000 open brackets", "class m($a = " + "[" * 100_000)
manifest("a heredoc that does not end", "class m { $a = @(EOT)\n" + "a\n" * 200_000)
manifest("10,000 heredocs in one line", "class m { $a = [" + "@(A), " * 10_000 + "] }\n")
manifest("texts within texts", 'class m { $a = ' + '"${' * 20_000 + "}\"" * 20_000 + " }\n")
manifest("a sum of 100,000", "class m { $a = " + "1 + " * 100_000 + "1 }\n")
manifest("50,000 elsif", "class m { if $a { include x } " + "elsif $b { include y } " * 50_000 + "}\n")
manifest("50,000 parameters", "class m(" + lines(50_000, lambda n: f"$a{n} = 1, ") + ") { }\n")
manifest("a type of 20,000 brackets", "class m(" + "Array[" * 20_000 + "String" + "]" * 20_000 + " $a) { }\n")
manifest("aliases of types that lead to one another", "type M::A = Array[M::B]\ntype M::B = Array[M::A]\nclass m(M::A $a) { }\n", )
manifest("20,000 classes that inherit", lines(20_000, lambda n: f"class m::a{n} inherits m::a{n + 1} {{ }}\n"))
manifest("20,000 classes that include the next", lines(20_000, lambda n: f"class m::a{n} {{ include m::a{n + 1} }}\n"))
manifest("50,000 lookups", "class m {\n" + lines(50_000, lambda n: f"  lookup('a{n}')\n") + "}\n")
manifest("a number of 2 million digits", "class m($a = " + "9" * 2_000_000 + ") { }\n")

# --- files on the disk


def link(to):
    def make(root):
        os.remove(f"{root}/data/c.yaml")
        os.symlink(to, f"{root}/data/c.yaml")

    return make


def pipe(root):
    os.remove(f"{root}/data/c.yaml")
    os.mkfifo(f"{root}/data/c.yaml")


def circles(root):
    for number in range(10):
        os.symlink("..", f"{root}/data/l{number}")
    os.symlink("me.yaml", f"{root}/data/me.yaml")
    for directory in ["lib", "templates", "spec", "manifests"]:
        os.makedirs(f"{root}/modules/m/{directory}")
        for number in range(12):
            os.symlink(".", f"{root}/modules/m/{directory}/l{number}")
    with open(f"{root}/data/other.yaml", "a") as file:
        file.write("m::parameter: 1\n")


def deep(root):
    os.makedirs(f"{root}/data/" + "d/" * 600)


def wide(root):
    for number in range(10_000):
        os.makedirs(f"{root}/data/d{number}", exist_ok=True)
        open(f"{root}/data/d{number}/a.yaml", "w").close()


def sparse(root):
    os.truncate(f"{root}/data/c.yaml", 20 << 30)


def folder(root):
    os.remove(f"{root}/data/c.yaml")
    os.mkdir(f"{root}/data/c.yaml")


def odd_names(root):
    for name in [b"\xff\xfe.yaml", b"a\n::error::pwn.yaml", b"\x1b[31m.yaml", b"`x`.yaml", b"%41.yaml", b"a" * 240 + b".yaml"]:
        open(os.fsencode(root) + b"/data/" + name, "w").close()


def links_elsewhere(*names):
    def make(root):
        for name in names:
            if os.path.lexists(f"{root}/{name}"):
                os.remove(f"{root}/{name}")
            os.makedirs(os.path.dirname(f"{root}/{name}"), exist_ok=True)
            os.symlink("/proc/self/pagemap", f"{root}/{name}")

    return make


GLOB = {"hiera.yaml": hierarchy("glob: '**/*.yaml'")}
OTHER = dict(opened="data/other.yaml")
special("a link to /proc/self/pagemap", link("/proc/self/pagemap"), **OTHER)
special("a link to /proc/kmsg", link("/proc/kmsg"), **OTHER)
special("a link to /dev/zero", link("/dev/zero"), **OTHER)
special("a link to /dev/tty", link("/dev/tty"), **OTHER)
special("a link to itself", link("c.yaml"), **OTHER)
special("a named pipe", pipe, **OTHER)
special("links in circles", circles, GLOB, opened="data/other.yaml")
special("600 folders within each other", deep, GLOB, opened="data/other.yaml")
special("10,000 folders", wide, GLOB, opened="data/other.yaml")
special("10,000 folders and a glob of four **", wide, {"hiera.yaml": hierarchy("glob: '**/**/**/*'")}, opened="data/other.yaml")
special("a file of 20 GB of nothing", sparse, **OTHER)
special("a folder in place of a file", folder, **OTHER)
special("names with control characters", odd_names, GLOB, opened="data/other.yaml")
special("settings, facts and modules that never end", links_elsewhere(".hiera-ls.yaml", "environment.conf", "spec/factsets/a.yaml", "modules/m/hiera.yaml", "modules/m/metadata.json", "modules/m/manifests/init.pp", ".hiera-ls-baseline.json"), **OTHER)
special("a hiera.yaml that never ends", links_elsewhere("hiera.yaml"), **OTHER)

# --- messages

HEADER = '{"jsonrpc":"2.0",'


def request(method, params, number=77):
    return HEADER + f'"id":{number},"method":{json.dumps(method)},"params":{json.dumps(params)}}}'


def notification(method, params):
    return HEADER + f'"method":{json.dumps(method)},"params":{json.dumps(params)}}}'


def change(text, start=(0, 0), end=(0, 0)):
    place = {"start": {"line": start[0], "character": start[1]}, "end": {"line": end[0], "character": end[1]}}
    document = {"uri": "URI", "version": 5}
    return notification("textDocument/didChange", {"textDocument": document, "contentChanges": [{"range": place, "text": text}]})


def at(line, character, uri="URI"):
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


MOST = 2**31 - 1
message("half a character", change("A").replace('"A"', '"\\ude01"'))
message("an empty object", "{}")
message("an empty list", "[]")
message("a batch", "[" + request("hiera/nodes", None) + "]")
message("a broken number", HEADER + '"id":1.5,"method":"hiera/nodes"}')
message("a number that is a list", HEADER + '"id":[1],"method":"hiera/nodes"}')
message("null", "null")
message("no JSON", "nonsense")
message("no UTF-8", b"\xff\xfe\xfd")
message("100,000 open brackets", "[" * 100_000, HEADER + '"id":1,"method":"hiera/nodes","params":' + "[" * 100_000)
message("an answer to nothing", HEADER + '"id":99999,"result":null}', HEADER + '"id":"x","error":{"code":1,"message":"m"}}')
message("nothing", "")
message("another version of JSON-RPC", '{"jsonrpc":"9.0","id":7,"method":"hiera/nodes"}')
message("a number of 1 MB", HEADER + '"id":"' + "1" * (1 << 20) + '","method":"hiera/nodes"}')
message("a method of 1 MB", request("x" * (1 << 20), None))
message("a place far behind the end", change("x", (MOST, MOST), (MOST, MOST)), request("textDocument/hover", at(MOST, MOST)))
message("a range from its end to its start", change("x", (5, 5), (0, 0)))
message("places below zero", request("textDocument/hover", at(-1, -5)))
message("changes of a file that is not open", notification("textDocument/didChange", {"textDocument": {"uri": "file:///nothing.yaml", "version": 1}, "contentChanges": [{"text": "a: 1"}]}))
message("a file that is opened twice and closed thrice", *[notification("textDocument/didClose", {"textDocument": {"uri": "URI"}})] * 3)
message("a URI of 5,000 segments", request("textDocument/hover", at(0, 0, "file:///" + "a/../" * 5_000 + "x.yaml")), notification("textDocument/didOpen", {"textDocument": {"uri": "file:///" + "a/" * 5_000 + "x.yaml", "languageId": "yaml", "version": 1, "text": "k: 1"}}))
message("a URI of 1 MB", request("textDocument/hover", at(0, 0, "file:///" + "%2e%2e/" * 150_000)))
message("odd URIs", *[request("textDocument/hover", at(0, 0, uri), n) for n, uri in enumerate(["", "x", "untitled:a", "file://host/x", "file:///%ff%00.yaml", "file:", "http://[::1", "\ud83d\ude00"], 300)])
message("a search for 1 MB", request("workspace/symbol", {"query": "a" * (1 << 20)}))
message("a key of 1 MB", request("hiera/explain", {"key": "a." * (1 << 19), "textDocument": {"uri": "URI"}}), request("hiera/mergedValue", {"key": "a." * (1 << 19)}, 78))
message("a new name of 1 MB", request("textDocument/rename", {**at(0, 0), "newName": "a" * (1 << 20)}))
message("a node that does not exist", request("hiera/selectNode", {"name": "\x1b[31m"}), request("hiera/assume", {"a": 1}, 78))
message("orders that do not exist", request("workspace/executeCommand", {"command": "x" * 1000, "arguments": [[[]]]}))
message("ranges the wrong way round", request("textDocument/codeAction", {"textDocument": {"uri": "URI"}, "range": {"start": {"line": 9, "character": 9}, "end": {"line": 0, "character": 0}}, "context": {"diagnostics": []}}), request("textDocument/inlayHint", {"textDocument": {"uri": "URI"}, "range": {"start": {"line": 9, "character": 9}, "end": {"line": 0, "character": 0}}}, 78))
message("3,000 edits at once", *[change("a: b\r") for _ in range(3_000)])
message("3,000 requests at once", *[request("textDocument/hover", at(0, 0), 1000 + n) for n in range(3_000)])
message("settings of odd shapes", notification("workspace/didChangeConfiguration", {"settings": {"hiera": [[[]]]}}), notification("workspace/didChangeConfiguration", {"settings": 1}))
message("100,000 changed files", notification("workspace/didChangeWatchedFiles", {"changes": [{"uri": f"file:///x/{n}.yaml", "type": 1} for n in range(100_000)]}))
message("a message without a length", b"RAW{\"jsonrpc\":\"2.0\"}\r\n\r\n", ends=True)
message("a length that is not a number", b"RAWContent-Length: many\r\n\r\n{}", ends=True)
message("a length of 99 GB", b"RAWContent-Length: 99999999999\r\n\r\n{}", ends=True)
message("a header without an end", b"RAW" + b"a" * (1 << 20), ends=True)

# --- previews

SIX = "k0: &k0 [1,1,1,1,1,1,1,1,1]\n" + lines(5, lambda n: f"k{n + 1}: &k{n + 1} [{','.join([f'*k{n}'] * 9)}]\n") + "k: *k5\n"
for method in ["mergedValue", "explain", "compare", "allNodes", "hierarchy", "cases"]:
    Input(f"preview: {method} of 9^6 values", {"data/c.yaml": SIX, "data/other.yaml": "m: 2\n"}, requests=[(f"hiera/{method}", {"key": "k", "textDocument": {"uri": "URI"}})])
    Input(f"preview: {method} of a list of 10 MB", {"data/c.yaml": "k:\n" + "  - aaaaaaaa\n" * 800_000, "data/other.yaml": "m: 2\n"}, requests=[(f"hiera/{method}", {"key": "k", "textDocument": {"uri": "URI"}})])
