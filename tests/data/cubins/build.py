#!/usr/bin/env python3
"""Builds the cubins of this folder, and expected.tsv, which tells the matrix instruction of each kernel.

    build.py [--ptxas PATH]... [--nvcc PATH] [--nvdisasm PATH]

Each target is built by the first ptxas that knows it (sm_70 needs one of CUDA 11 or 12); a target that none
knows keeps the file that is here. expected.tsv is what the products below say; where nvdisasm knows the
target, the build fails unless its disassembly says the same.
"""
import argparse
import gzip
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = {'sm_70': '6.4', 'sm_75': '7.8', 'sm_80': '7.8', 'sm_86': '7.8', 'sm_89': '8.8', 'sm_90a': '8.8',
           'sm_100a': '8.8', 'sm_103a': '8.8', 'sm_110a': '9.0', 'sm_120a': '8.8'}
ORDINARY = ['sm_75', 'sm_80', 'sm_89', 'sm_90a', 'sm_100a', 'sm_120a']
WIDTH = {'u32': 4, 'f32': 4, 'f64': 8, 'u64': 8}
UNTYPED = {'u32': 'b32'}


def registers(prefix, count):
    return '{' + ','.join(f'%{prefix}{i}' for i in range(count)) + '}'


def loads(prefix, kind, count, offset):
    return ''.join(f'ld.global.{kind} %{prefix}{i},[%q+{offset + i * WIDTH[kind]}];\n' for i in range(count))


def kernel(name, declarations, body):
    return (f'.visible .entry {name}(.param .u64 p)\n{{\n.reg .u64 %q;\n{declarations}\n'
            f'ld.param.u64 %q,[p];\n{body}ret;\n}}\n')


def mma(name, instruction, counts, sum_kind, kind='u32', extra=''):
    """A product of registers; `counts` of the sum, a and b."""
    sums, lefts, rights = counts
    declarations = (f'.reg .{UNTYPED.get(sum_kind, sum_kind)} %d<{sums}>,%c<{sums}>; '
                    f'.reg .{UNTYPED.get(kind, kind)} %a<{lefts}>,%b<{rights}>; .reg .b32 %e<3>;')
    body = (loads('a', kind, lefts, 0) + loads('b', kind, rights, 256) + loads('c', sum_kind, sums, 512)
            + loads('e', 'u32', 3, 768))
    operands = ','.join(registers(*r) for r in (('d', sums), ('a', lefts), ('b', rights), ('c', sums)))
    body += f'{instruction} {operands}{extra};\n'
    body += ''.join(f'st.global.{sum_kind} [%q+{1024 + i * 8}],%d{i};\n' for i in range(sums))
    return kernel(name, declarations, body)


def wgmma(name, shape, sum_kind, flags, sparse=False, lefts=0):
    instruction = 'wgmma.mma_async' + ('.sp' if sparse else '') + '.sync.aligned.m64n8' + shape
    declarations = f'.reg .{UNTYPED.get(sum_kind, sum_kind)} %d<4>; .reg .b64 %x<2>; .reg .b32 %a<4>,%e<1>;'
    left = registers('a', lefts) if lefts else '%x0'
    body = loads('x', 'u64', 2, 0) + loads('e', 'u32', 1, 16) + loads('a', 'u32', lefts, 32)
    body += loads('d', sum_kind, 4, 64) + 'wgmma.fence.sync.aligned;\n'
    body += f'{instruction} {registers("d", 4)},{left},%x1{",%e0,0" if sparse else ""}{flags};\n'
    body += 'wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n'
    body += ''.join(f'st.global.{sum_kind} [%q+{1024 + i * 8}],%d{i};\n' for i in range(4))
    return kernel(name, declarations, body)


def tcgen05(name, instruction, operands):
    declarations = '.reg .b32 %t<8>; .reg .b64 %x<4>; .reg .pred %on;'
    body = loads('t', 'u32', 8, 0) + loads('x', 'u64', 4, 64) + 'setp.ne.u32 %on,%t7,0;\n'
    return kernel(name, declarations, body + f'tcgen05.{instruction} {operands};\n')


MMA, SPARSE = 'mma.sync.aligned.', 'mma.sp.sync.aligned.'
ORDERED = 'mma.sp::ordered_metadata.sync.aligned.'
SCALES = ',{%e0},{0,0},{%e1},{0,0}'
# First target that takes the product, what it becomes ({first target: instruction}), and its source.
HMMA, IMMA, BMMA = {75: 'HMMA'}, {75: 'IMMA'}, {75: 'BMMA', 100: 'IMMA'}
QMMA, OMMA = {89: 'QMMA', 90: 'HMMA', 120: 'QMMA'}, {120: 'OMMA'}
PRODUCTS = [
    # Only Volta and Turing have this shape; later devices compute it on their ordinary units.
    ({70: 'HMMA', 80: ''}, mma, 'm8n8k4_f16', MMA + 'm8n8k4.row.col.f32.f16.f16.f32', (8, 2, 2), 'f32'),
    (HMMA, mma, 'm16n8k8_f16', MMA + 'm16n8k8.row.col.f32.f16.f16.f32', (4, 2, 1), 'f32'),
    (HMMA, mma, 'm16n8k8_f16_sum', MMA + 'm16n8k8.row.col.f16.f16.f16.f16', (2, 2, 1), 'u32'),
    (IMMA, mma, 'm8n8k16_s8', MMA + 'm8n8k16.row.col.s32.s8.s8.s32', (2, 1, 1), 'u32'),
    (IMMA, mma, 'm8n8k32_s4', MMA + 'm8n8k32.row.col.s32.s4.s4.s32', (2, 1, 1), 'u32'),
    (BMMA, mma, 'm8n8k128_b1', MMA + 'm8n8k128.row.col.s32.b1.b1.s32.xor.popc', (2, 1, 1), 'u32'),
    ({80: 'HMMA'}, mma, 'm16n8k16_f16', MMA + 'm16n8k16.row.col.f32.f16.f16.f32', (4, 4, 2), 'f32'),
    ({80: 'HMMA'}, mma, 'm16n8k16_bf16', MMA + 'm16n8k16.row.col.f32.bf16.bf16.f32', (4, 4, 2), 'f32'),
    ({80: 'HMMA'}, mma, 'm16n8k4_tf32', MMA + 'm16n8k4.row.col.f32.tf32.tf32.f32', (4, 2, 1), 'f32'),
    ({80: 'HMMA'}, mma, 'm16n8k8_tf32', MMA + 'm16n8k8.row.col.f32.tf32.tf32.f32', (4, 4, 2), 'f32'),
    ({80: 'IMMA'}, mma, 'm16n8k32_s8', MMA + 'm16n8k32.row.col.s32.s8.u8.s32', (4, 4, 2), 'u32'),
    ({80: 'IMMA'}, mma, 'm16n8k64_s4', MMA + 'm16n8k64.row.col.s32.s4.s4.s32', (4, 4, 2), 'u32'),
    ({80: 'BMMA', 100: 'IMMA'}, mma, 'm16n8k256_b1', MMA + 'm16n8k256.row.col.s32.b1.b1.s32.and.popc',
     (4, 4, 2), 'u32'),
    ({80: 'DMMA'}, mma, 'm8n8k4_f64', MMA + 'm8n8k4.row.col.f64.f64.f64.f64', (2, 1, 1), 'f64', 'f64'),
    ({90: 'DMMA'}, mma, 'm16n8k16_f64', MMA + 'm16n8k16.row.col.f64.f64.f64.f64', (4, 8, 4), 'f64', 'f64'),
    ({80: 'HMMA'}, mma, 'sparse_f16', SPARSE + 'm16n8k32.row.col.f32.f16.f16.f32', (4, 4, 4), 'f32', 'u32',
     ',%e0,0x0'),
    ({80: 'IMMA'}, mma, 'sparse_s8', SPARSE + 'm16n8k64.row.col.s32.s8.s8.s32', (4, 4, 4), 'u32', 'u32',
     ',%e0,0x0'),
    (QMMA, mma, 'm16n8k32_f8', MMA + 'm16n8k32.row.col.f32.e4m3.e5m2.f32', (4, 4, 2), 'f32'),
    (QMMA, mma, 'sparse_f8', SPARSE + 'm16n8k64.row.col.f32.e4m3.e5m2.f32', (4, 4, 4), 'f32', 'u32',
     ',%e0,0x0'),
    ({120: 'QMMA'}, mma, 'm16n8k32_f6', MMA + 'm16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32', (4, 4, 2),
     'f32'),
    ({120: 'QMMA'}, mma, 'scaled_f8', MMA + 'm16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32'
     '.e4m3.e4m3.f32.ue8m0', (4, 4, 2), 'f32', 'u32', SCALES),
    (OMMA, mma, 'scaled_f4', MMA + 'm16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32'
     '.ue8m0', (4, 4, 2), 'f32', 'u32', SCALES),
    (OMMA, mma, 'scaled_nvf4', MMA + 'm16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1'
     '.e2m1.f32.ue4m3', (4, 4, 2), 'f32', 'u32', SCALES),
    (OMMA, mma, 'sparse_nvf4', ORDERED + 'm16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32'
     '.e2m1.e2m1.f32.ue4m3', (4, 4, 4), 'f32', 'u32', ',%e2,0' + SCALES),
]
for made, product_name, suffix, form, sum_type, extra_flags in (
        ('HGMMA', 'wg_f16', 'k16', '.f32.f16.f16', 'f32', ',1,1,1,0,0'),
        ('HGMMA', 'wg_tf32', 'k8', '.f32.tf32.tf32', 'f32', ',1,1,1'),
        ('IGMMA', 'wg_s8', 'k32', '.s32.s8.s8', 'u32', ',1'),
        ('QGMMA', 'wg_f8', 'k32', '.f32.e4m3.e5m2', 'f32', ',1,1,1'),
        ('BGMMA', 'wg_b1', 'k256', '.s32.b1.b1.and.popc', 'u32', ',1')):
    only = {90: made, 100: None}
    PRODUCTS.append((only, wgmma, product_name, suffix + form, sum_type, extra_flags))
    PRODUCTS.append((only, wgmma, product_name + '_registers', suffix + form, sum_type,
                     extra_flags[:8] if extra_flags.endswith(',0,0') else extra_flags, False, 4))
PRODUCTS.append(({90: 'HGMMA', 100: None}, wgmma, 'wg_sparse_f16', 'k32.f32.f16.f16', 'f32', ',1,1,1,0,0', True))
PRODUCTS.append(({90: 'IGMMA', 100: None}, wgmma, 'wg_sparse_s8', 'k64.s32.s8.s8', 'u32', ',1', True))
MATRIX, TENSOR_A = '[%t0],%x0,%x1,%t1', '[%t0],[%t4],%x1,%t1'
FROM_100 = {100: 'UTCMMA', 120: None}
for product_name, form, operands in (
        ('tc_f16', '.cta_group::1.kind::f16', MATRIX), ('tc_f16_a', '.cta_group::1.kind::f16', TENSOR_A),
        ('tc_f16_pair', '.cta_group::2.kind::f16', MATRIX), ('tc_tf32', '.cta_group::1.kind::tf32', MATRIX),
        ('tc_f8', '.cta_group::1.kind::f8f6f4', MATRIX), ('tc_ws_f16', '.ws.cta_group::1.kind::f16', MATRIX),
        ('tc_ws_f8', '.ws.cta_group::1.kind::f8f6f4', MATRIX),
        ('tc_mxf8', '.cta_group::1.kind::mxf8f6f4.block_scale', MATRIX + ',[%t2],[%t3]'),
        ('tc_mxf8_a', '.cta_group::1.kind::mxf8f6f4.block_scale', TENSOR_A + ',[%t2],[%t3]'),
        ('tc_mxf4', '.cta_group::1.kind::mxf4.block_scale.scale_vec::2X', MATRIX + ',[%t2],[%t3]'),
        ('tc_nvf4', '.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X', MATRIX + ',[%t2],[%t3]'),
        ('tc_sparse_f16', '.sp.cta_group::1.kind::f16', '[%t0],%x0,%x1,[%t4],%t1')):
    PRODUCTS.append((FROM_100, tcgen05, product_name, 'mma' + form, operands + ',%on'))
PRODUCTS.append(({100: 'UTCMMA', 103: None, 110: 'UTCMMA', 120: None}, tcgen05, 'tc_s8',
                 'mma.cta_group::1.kind::i8', MATRIX + ',%on'))
# The memory of the products, without a product.
NOTHING = {100: '', 120: None}
PRODUCTS += [
    (NOTHING, tcgen05, 'no_load', 'ld.sync.aligned.16x64b.x1.b32', '{%t3},[%t0];\ntcgen05.wait::ld.sync.aligned;'
     '\nst.global.u32 [%q],%t3'),
    (NOTHING, tcgen05, 'no_copy', 'cp.cta_group::1.128x256b', '[%t0],%x0'),
    (NOTHING, tcgen05, 'no_alloc', 'alloc.cta_group::1.sync.aligned.shared::cta.b32', '[%t0],32'),
    (NOTHING, tcgen05, 'no_shift', 'shift.cta_group::1.down', '[%t0]'),
]


def number(target):
    return int(re.sub(r'\D', '', target))


def becomes(product, target):
    """The instruction on a target; None where the target does not take the product."""
    told = [instruction for first, instruction in product[0].items() if first <= number(target)]
    return told[-1] if told else None


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def sections(cubin):
    """Code by the name of its kernel or function."""
    offset, = struct.unpack_from('<Q', cubin, 0x28)
    size, count, names = struct.unpack_from('<HHH', cubin, 0x3a)
    heads = [struct.unpack_from('<IIQQQQ', cubin, offset + i * size) for i in range(count)]
    found = {}
    for head in heads:
        start = heads[names][4] + head[0]
        name = cubin[start:cubin.index(b'\0', start)].decode()
        if name.startswith('.text.'):
            found[name[6:]] = cubin[head[4]:head[4] + head[5]]
    return found


def disassembled(nvdisasm, target, code):
    """The matrix instructions of code; None where nvdisasm does not know the target."""
    with tempfile.NamedTemporaryFile() as raw:
        raw.write(code)
        raw.flush()
        done = run(nvdisasm, '-b', f'SM{number(target)}', raw.name)
    if done.returncode:
        return None
    names = set(re.findall(r'^\s*/\*\w+\*/\s+(?:@!?U?P\w+\s+)?(\w*MMA)\b', done.stdout, re.M))
    return {'UTCMMA' if name.startswith('UTC') else name for name in names}


class Builder:
    def __init__(self, options):
        self.options = options
        self.expected = []
        self.sizes = 0

    def compile(self, target, source, out):
        for ptxas in self.options.ptxas:
            with tempfile.NamedTemporaryFile('w', suffix='.ptx') as ptx:
                ptx.write(f'.version {TARGETS[target]}\n.target {target}\n.address_size 64\n{source}')
                ptx.flush()
                done = run(ptxas, '-arch=' + target, ptx.name, '-o', out)
            if done.returncode == 0:
                return True
            if not re.search("is not defined for option 'gpu-name'|Unsupported .version", done.stderr):
                sys.exit(f'{target}: {done.stderr}')
        return False

    def keep(self, name, target, path, expected):
        with open(path, 'rb') as file:
            cubin = file.read()
        with open(f'{HERE}/{name}.cubin.gz', 'wb') as file:
            file.write(gzip.compress(cubin, mtime=0))
        self.check(name, target, cubin, expected)

    def check(self, name, target, cubin, expected):
        code = sections(cubin)
        for kernel_name, instruction in expected.items():
            self.expected.append((name, kernel_name, instruction))
            found = self.options.nvdisasm and disassembled(self.options.nvdisasm, target, code[kernel_name])
            # A disassembler older than the instruction leaves it out.
            if found is not None and found != ({instruction} if instruction else set()):
                print(f'{name}: {kernel_name}: {instruction or "nothing"} expected, disassembled {found}')

    def products(self, target, out):
        made = {p[2]: becomes(p, target) for p in PRODUCTS if becomes(p, target) is not None}
        source = ''.join(p[1](*p[2:]) for p in PRODUCTS if p[2] in made)
        if self.compile(target, source, out):
            self.keep('products_' + target, target, out, made)
        else:
            print(f'no ptxas for {target}: its file stays')
            with gzip.open(f'{HERE}/products_{target}.cubin.gz') as file:
                self.check('products_' + target, target, file.read(), made)

    def programs(self, target, out, name, *flags):
        done = run(self.options.nvcc, '-arch=' + target, '-w', '-cubin', *flags, f'{HERE}/{name}.cu', '-o', out)
        if done.returncode:
            sys.exit(done.stderr)
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--ptxas', action='append', default=[])
    parser.add_argument('--nvcc', default='nvcc')
    parser.add_argument('--nvdisasm')
    options = parser.parse_args()
    options.ptxas = options.ptxas or ['ptxas']
    builder = Builder(options)
    with tempfile.TemporaryDirectory() as folder:
        out = folder + '/out.cubin'
        for target in TARGETS:
            builder.products(target, out)
        for target in ORDINARY:
            builder.programs(target, out, 'ordinary')
            with open(out, 'rb') as file:
                kernels = [k for k in sections(file.read()) if k.startswith('n_')]
            builder.keep('ordinary_' + target, target, out, {k: '' for k in sorted(kernels)})
        builder.programs('sm_80', out, 'functions', '-rdc=true')
        builder.keep('functions_sm_80', 'sm_80', out, {})
        builder.expected += [('functions_sm_80', 'calls_product', 'HMMA'), ('functions_sm_80', 'calls_nothing', '')]
    with open(HERE + '/expected.tsv', 'w', encoding='utf-8') as file:
        file.writelines('\t'.join(row) + '\n' for row in builder.expected)


if __name__ == '__main__':
    main()
