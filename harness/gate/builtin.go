package gate

import _ "embed"

// BuiltinFile is the place in the source of the reference that comes with the program.
const BuiltinFile = "harness/gate/reference/exponents.json"

//go:embed reference/exponents.json
var builtin []byte

// Builtin returns the reference of the experiment ci, which comes with the program.
func Builtin() (*Reference, error) { return Decode(BuiltinFile, builtin) }
