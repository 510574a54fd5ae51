/** A matrix of 32-bit floats, row by row. */
export interface Matrix {
  readonly name: string
  readonly shape: readonly [number, number]
  readonly values: Float32Array
}

/** A safetensors file with these matrices, in this order. Equal matrices give equal bytes. */
export function writeSafetensors(matrices: readonly Matrix[]): Buffer {
  let end = 0
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  for (const { name, shape, values } of matrices) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + values.byteLength] }
    end += values.byteLength
  }
  // Readers expect tensors at multiples of eight bytes.
  const text = JSON.stringify(header)
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8, ' '))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(padded.length))
  const data = matrices.map(({ values }) => Buffer.from(values.buffer, values.byteOffset, values.byteLength))
  return Buffer.concat([length, padded, ...data])
}

/** The matrices of a file that {@link writeSafetensors} wrote. */
export function readMatrices(file: Buffer): readonly Matrix[] {
  const headerEnd = 8 + Number(file.readBigUInt64LE(0))
  const { __metadata__, ...tensors } = JSON.parse(file.toString('utf8', 8, headerEnd)) as Record<string, unknown>
  return Object.entries(tensors as Record<string, WrittenTensor>).map(
    ([
      name,
      {
        shape,
        data_offsets: [from, to],
      },
    ]) => {
      const bytes = file.subarray(headerEnd + from, headerEnd + to)
      return { name, shape, values: new Float32Array(Uint8Array.from(bytes).buffer) }
    },
  )
}

interface WrittenTensor {
  readonly shape: readonly [number, number]
  readonly data_offsets: readonly [number, number]
}
