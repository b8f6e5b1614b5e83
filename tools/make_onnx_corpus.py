#!/usr/bin/env python3
"""Writes the seeds of the ONNX fuzzer: small models that use every kind of field once.

    tools/make_onnx_corpus.py [FOLDER]        (default: fuzz/corpus/onnx)

Needs the `onnx` package. Same version, same files. Seeds that a fuzzer found later stay in the folder
beside these; only files named seed_* are replaced.
"""

import sys
from pathlib import Path

import onnx
from onnx import TensorProto as T
from onnx import helper as h

X = h.make_tensor_value_info("x", T.FLOAT, ["N", 2])
Y = h.make_tensor_value_info("y", T.FLOAT, None)
C = h.make_tensor_value_info("c", T.BOOL, [])
SEEDS = {}


def model(graph, opset=13, ir=8, **more):
    imports = [h.make_opsetid(d, v) for d, v in more.pop("domains", [])]
    m = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)] + imports, ir_version=ir,
                     producer_name="seed", **more)
    return m


def graph(nodes, inputs=(X,), outputs=(Y,), **more):
    return h.make_graph(list(nodes), "g", list(inputs), list(outputs), **more)


def seed(name, message):
    data = message if isinstance(message, bytes) else message.SerializeToString(deterministic=True)
    assert len(data) < 2048, (name, len(data))
    SEEDS[name] = data


def node(op, i, o, **attributes):
    return h.make_node(op, i, o, **attributes)


def relu():
    return graph([node("Relu", ["x"], ["y"], name="r")])


def constants():
    forms = {
        "tensor": dict(value=h.make_tensor("", T.FLOAT, [2], [1, 2])),
        "float": dict(value_float=1.5), "floats": dict(value_floats=[1.0, 2.0]),
        "int": dict(value_int=3), "ints": dict(value_ints=[1, 2, 3]),
        "string": dict(value_string="s"), "strings": dict(value_strings=["a", "b"]),
        "sparse": dict(sparse_value=h.make_sparse_tensor(
            h.make_tensor("v", T.FLOAT, [2], [1, 2]), h.make_tensor("i", T.INT64, [2], [0, 3]), [4])),
    }
    for name, form in forms.items():
        seed(f"constant_{name}", model(graph([node("Constant", [], ["y"], **form)], inputs=[])))


def dtypes():
    for name, number in sorted(T.DataType.items()):
        if number == 0:
            continue
        t = T(name="w", data_type=number, dims=[4])
        bits = {"COMPLEX128": 128, "COMPLEX64": 64, "DOUBLE": 64, "INT64": 64, "UINT64": 64, "FLOAT": 32,
                "INT32": 32, "UINT32": 32, "INT4": 4, "UINT4": 4, "FLOAT4E2M1": 4, "INT2": 2, "UINT2": 2}
        width = bits.get(name, 16 if "16" in name else 8)
        if name == "STRING":
            t.string_data.extend([b"a", b"", b"\xff", b"long text"])
        else:
            t.raw_data = bytes(range(width * 4 // 8))
        seed(f"dtype_{name.lower()}", model(graph([node("Identity", ["w"], ["y"])], inputs=[], initializer=[t])))
    typed = {
        "float_data": T(name="w", data_type=T.FLOAT, dims=[2], float_data=[1, 2]),
        "int32_data": T(name="w", data_type=T.INT8, dims=[2], int32_data=[-1, 2]),
        "int64_data": T(name="w", data_type=T.INT64, dims=[2], int64_data=[-1, 2]),
        "double_data": T(name="w", data_type=T.DOUBLE, dims=[2], double_data=[-1, 2]),
        "uint64_data": T(name="w", data_type=T.UINT64, dims=[2], uint64_data=[1, 2]),
        "half_in_int32": T(name="w", data_type=T.FLOAT16, dims=[1], int32_data=[0x3C00]),
        "segment": T(name="w", data_type=T.FLOAT, dims=[2], segment=T.Segment(begin=0, end=2)),
        "lying_dims": T(name="w", data_type=T.FLOAT, dims=[1 << 40, 1 << 40], raw_data=b"\0" * 8),
    }
    for name, t in typed.items():
        t.doc_string = "doc"
        seed(f"typed_{name}", model(graph([node("Identity", ["w"], ["y"])], inputs=[], initializer=[t])))


def external():
    # The fuzz target puts a w.bin of 64 bytes where these are looked for, and a link out of the folder.
    for name, entries in {
        "good": ("w.bin", "4", "8"), "past_end": ("w.bin", "60", "8"), "negative": ("w.bin", "-4", "8"),
        "huge": ("w.bin", "9223372036854775804", "8"), "short": ("w.bin", "0", "4"), "word": ("w.bin", "x", "8"),
        "missing": ("none", "0", "8"), "absolute": ("/etc/passwd", "0", "8"), "parent": ("../w.bin", "0", "8"),
        "link": ("link", "0", "8"), "folder": ("sub", "0", "8"), "nameless": ("", "0", "8"),
    }.items():
        t = T(name="w", data_type=T.FLOAT, dims=[2], data_location=T.EXTERNAL)
        for key, value in zip(("location", "offset", "length"), entries):
            t.external_data.add(key=key, value=value)
        seed(f"external_{name}", model(graph([node("Identity", ["w"], ["y"])], inputs=[], initializer=[t])))


def types():
    tensor = h.make_tensor_type_proto(T.INT64, ["a", None, 3])
    kinds = {
        "sequence": h.make_sequence_type_proto(tensor),
        "optional": h.make_optional_type_proto(h.make_sequence_type_proto(tensor)),
        "map": h.make_map_type_proto(T.STRING, tensor),
        "sparse": h.make_sparse_tensor_type_proto(T.FLOAT, [2, 2]),
        "rankless": h.make_tensor_type_proto(T.FLOAT, None),
    }
    for name, kind in kinds.items():
        kind.denotation = "IMAGE"
        v = h.make_value_info("x", kind)
        v.metadata_props.add(key="k", value="v")
        seed(f"type_{name}", model(graph([node("Identity", ["x"], ["y"])], inputs=[v],
                                         outputs=[h.make_value_info("y", kind)])))
    opaque = onnx.ValueInfoProto(name="x")
    opaque.type.opaque_type.domain = "d"
    opaque.type.opaque_type.name = "n"
    seed("type_opaque", model(graph([node("Identity", ["x"], ["y"])], inputs=[opaque])))
    minus = h.make_tensor_value_info("x", T.FLOAT, [-1, 2])
    minus.type.tensor_type.shape.dim[1].denotation = "CHANNEL"
    seed("type_minus_one", model(graph([node("Relu", ["x"], ["y"])], inputs=[minus])))


def attributes():
    n = node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", strides=[2, 2], group=1)
    w = h.make_tensor("w", T.FLOAT, [1, 1, 1, 1], [1])
    x = h.make_tensor_value_info("x", T.FLOAT, ["N", 1, "H", "W"])
    seed("attribute_conv", model(graph([n], inputs=[x], initializer=[w])))
    a = node("Relu", ["x"], ["y"])
    a.attribute.append(h.make_attribute("tensors", [w]))
    a.attribute.append(h.make_attribute("type", h.make_tensor_type_proto(T.FLOAT, [1])))
    a.attribute.append(h.make_attribute("types", [h.make_tensor_type_proto(T.FLOAT, [1])]))
    a.attribute.append(h.make_attribute("sparse", [SPARSE]))
    a.attribute.append(h.make_attribute("graphs", [relu()]))
    a.attribute[0].doc_string = "doc"
    seed("attribute_rare", model(graph([a])))
    u = node("LeakyRelu", ["x"], ["y"], alpha=0.5)
    u.attribute[0].ClearField("type")
    seed("attribute_untyped", model(graph([u]), opset=6, ir=1))


SPARSE = h.make_sparse_tensor(h.make_tensor("s", T.FLOAT, [2], [1, 2]),
                              h.make_tensor("i", T.INT64, [2, 2], [0, 1, 1, 0]), [2, 2])


def branch(op, inputs, out):
    return h.make_graph([node(op, inputs, [out])], out, [], [h.make_tensor_value_info(out, T.FLOAT, None)])


def control_flow():
    choose = node("If", ["c"], ["y"], then_branch=branch("Neg", ["x"], "t"), else_branch=branch("Abs", ["x"], "e"))
    seed("if", model(graph([choose], inputs=[C, X])))
    inner = h.make_graph([node("If", ["c"], ["m"], then_branch=branch("Neg", ["x"], "t"),
                               else_branch=branch("Add", ["x", "w"], "e"))], "inner", [],
                         [h.make_tensor_value_info("m", T.FLOAT, None)])
    outer = node("If", ["c"], ["y"], then_branch=inner, else_branch=branch("Relu", ["x"], "q"))
    seed("if_nested", model(graph([outer], inputs=[C, X], initializer=[h.make_tensor("w", T.FLOAT, [2], [1, 2])])))
    i = h.make_tensor_value_info("i", T.INT64, [])
    ci = h.make_tensor_value_info("ci", T.BOOL, [])
    s = h.make_tensor_value_info("s", T.FLOAT, [None, 2])
    body = h.make_graph([node("Identity", ["ci"], ["co"]), node("Add", ["s", "x"], ["so"]),
                         node("Identity", ["so"], ["scan"])], "body", [i, ci, s],
                        [h.make_tensor_value_info("co", T.BOOL, []), h.make_tensor_value_info("so", T.FLOAT, None),
                         h.make_tensor_value_info("scan", T.FLOAT, None)])
    m = h.make_tensor_value_info("m", T.INT64, [])
    seed("loop", model(graph([node("Loop", ["m", "", "x"], ["y", "z"], body=body)], inputs=[m, X])))
    sb = h.make_graph([node("Add", ["s", "e"], ["so"]), node("Identity", ["so"], ["p"])], "body",
                      [h.make_tensor_value_info("s", T.FLOAT, [2]), h.make_tensor_value_info("e", T.FLOAT, [2])],
                      [h.make_tensor_value_info("so", T.FLOAT, [2]), h.make_tensor_value_info("p", T.FLOAT, [2])])
    seed("scan", model(graph([node("Scan", ["v", "x"], ["y", "z"], body=sb, num_scan_inputs=1)],
                             inputs=[h.make_tensor_value_info("v", T.FLOAT, [2]), X])))


def functions():
    imports = [h.make_opsetid("", 15), h.make_opsetid("loc", 1)]
    leaky = node("LeakyRelu", ["a"], ["r"])
    ref = onnx.AttributeProto(name="alpha", type=onnx.AttributeProto.FLOAT, ref_attr_name="slope")
    leaky.attribute.append(ref)
    f = h.make_function("loc", "F", ["a"], ["r"], [leaky], imports, attributes=["slope"])
    g = h.make_function("loc", "G", ["a", "b"], ["r", "a"],
                        [node("F", ["a"], ["t"], domain="loc", slope=0.25), node("Add", ["t", "b"], ["r"])], imports,
                        attribute_protos=[h.make_attribute("bias", 1.0)])
    g.value_info.append(h.make_tensor_value_info("t", T.FLOAT, [2]))
    g.overload = "o"
    g.metadata_props.add(key="k", value="v")
    call = node("G", ["x", "x"], ["y", "z"], domain="loc", overload="o", name="call")
    seed("functions", model(graph([call]), opset=15, ir=10, domains=[("loc", 1)], functions=[f, g]))
    rec = h.make_function("loc", "R", ["a"], ["r"], [node("R", ["a"], ["r"], domain="loc")], imports)
    seed("function_recursive", model(graph([node("R", ["x"], ["y"], domain="loc")]), opset=15,
                                     domains=[("loc", 1)], functions=[rec]))


def graphs():
    seed("relu", model(relu()))
    v = h.make_tensor_value_info("h", T.FLOAT, ["N", 2])
    chain = graph([node("Abs", ["h"], ["y"]), node("Relu", ["x"], ["h"])], value_info=[v], doc_string="doc")
    seed("unsorted", model(chain))
    seed("cycle", model(graph([node("Add", ["x", "b"], ["a"]), node("Neg", ["a"], ["b"]), node("Abs", ["b"], ["y"])])))
    seed("twice", model(graph([node("Neg", ["x"], ["y"]), node("Abs", ["x"], ["y"])])))
    seed("dangling", model(graph([node("Add", ["x", "nowhere"], ["y"])])))
    seed("unknown_op", model(graph([node("Relux", ["x"], ["y"])])))
    sparse = onnx.SparseTensorProto()
    sparse.CopyFrom(SPARSE)
    seed("sparse_initializer", model(graph([node("Relu", ["s"], ["y"])], inputs=[], sparse_initializer=[sparse])))
    w = h.make_tensor("w", T.FLOAT, [2], [1, 2])
    default = h.make_tensor_value_info("w", T.FLOAT, [2])
    seed("default_input", model(graph([node("Add", ["x", "w"], ["y"])], inputs=[X, default], initializer=[w])))
    seed("omitted", model(graph([node("Clip", ["x", "", "w0"], ["y"])],
                                initializer=[h.make_tensor("w0", T.FLOAT, [], [1])])))
    q = graph([node("Relu", ["x"], ["y"])])
    note = q.quantization_annotation.add(tensor_name="y")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w")
    q.metadata_props.add(key="k", value="v")
    seed("annotations", model(q))


def model_fields():
    m = model(relu(), doc_string="doc", domain="dom", producer_version="1", model_version=3)
    m.metadata_props.add(key="k", value="v")
    info = m.training_info.add()
    info.initialization.CopyFrom(relu())
    info.update_binding.add(key="a", value="b")
    device = m.configuration.add(name="c", num_devices=2)
    device.device.append("cpu")
    m.graph.node[0].metadata_props.add(key="k", value="v")
    m.graph.node[0].device_configurations.add(configuration_id="c", pipeline_stage=1)
    m.graph.node[0].doc_string = "doc"
    seed("model_fields", m)
    seed("no_opset", onnx.ModelProto(ir_version=2, graph=relu()))
    seed("newer", model(relu(), opset=30, ir=99))
    # Fields that no schema has, at three levels, and a message out of field order.
    tail = bytes([0xBA, 0x3E, 0x03]) + b"abc" + bytes([0xC5, 0x3E, 1, 2, 3, 4])
    seed("unknown_fields", model(relu()).SerializeToString(deterministic=True) + tail)
    opset = h.make_opsetid("", 13).SerializeToString()
    seed("out_of_order", bytes([0x42, len(opset)]) + opset + onnx.ModelProto(ir_version=8, graph=relu()).SerializeToString())


def foreign():
    files = {
        "png": b"\x89PNG\r\n\x1a\n" + bytes(20), "zip": b"PK\x03\x04" + bytes(20), "gzip": b"\x1f\x8b" + bytes(20),
        "lfs": b"version https://git-lfs.github.com/spec/v1\n", "text": b"hello\n", "json": b'{"a": 1}',
        "html": b"<!DOCTYPE html><html></html>", "zeros": bytes(40), "empty": b"",
        "text_onnx": b"<\n ir_version: 8\n>", "safetensors": b"\x10" + bytes(7) + b'{"w":{}} \xff',
        "tensor": T(dims=[2], data_type=T.FLOAT, raw_data=bytes(8)).SerializeToString(),
        "bare_graph": relu().SerializeToString(), "tflite": bytes(4) + b"TFL3" + bytes(8),
        "endless_varint": b"\x08" + b"\xff" * 20, "wrong_wire": b"\x0d\x01\x02\x03\x04", "group": b"\x0b\x01",
        "length_lies": b"\x08\x07\x3a\xff\xff\xff\xff\x0f", "field_zero": b"\x08\x07\x02\x01",
        "inner_length": b"\x08\x07\x3a\x04\x12\x7fab\x10\x01", "cut_varint": b"\x08",
        "fixed": b"\x08\x07\xc1\x3e" + bytes(8) + b"\xc5\x3e" + bytes(4),
    }
    deep = b""
    for level in range(210):
        field = {0: b"\x32", 1: b"\x2a", 2: b"\x0a"}[level % 3]  # attribute > graph > node > attribute
        size = len(deep)
        deep = field + (bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])) + deep
    size = len(deep)
    files["deep"] = b"\x3a" + bytes([size & 127 | 128, size >> 7]) + deep
    for name, data in files.items():
        seed(f"bytes_{name}", data)


def old_opsets():
    seed("softmax_12", model(graph([node("Softmax", ["x"], ["y"], axis=0)]), opset=12))
    seed("squeeze_11", model(graph([node("Squeeze", ["x"], ["y"], axes=[0])],
                                   inputs=[h.make_tensor_value_info("x", T.FLOAT, [1, 2])]), opset=11))
    seed("clip_6", model(graph([node("Clip", ["x"], ["y"], max=1.0, min=0.0)]), opset=6))
    seed("slice_9", model(graph([node("Slice", ["x"], ["y"], starts=[0], ends=[1], axes=[1])]), opset=9))
    shape = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "i"], ["n"], axis=0),
             node("Unsqueeze", ["n", "a"], ["u"]), node("Concat", ["u", "m"], ["t"], axis=0),
             node("Reshape", ["x", "t"], ["y"])]
    seed("shape_arithmetic", model(graph(shape, initializer=[
        h.make_tensor("i", T.INT64, [], [0]), h.make_tensor("a", T.INT64, [1], [0]),
        h.make_tensor("m", T.INT64, [1], [-1])])))


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "fuzz/corpus/onnx"
    for make in (constants, dtypes, external, types, attributes, control_flow, functions, graphs, model_fields,
                 foreign, old_opsets):
        make()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("seed_*"):
        old.unlink()
    for name, data in SEEDS.items():
        (folder / f"seed_{name}").write_bytes(data)
    print(f"{len(SEEDS)} files, {sum(map(len, SEEDS.values()))} bytes in {folder}")


if __name__ == "__main__":
    main()
