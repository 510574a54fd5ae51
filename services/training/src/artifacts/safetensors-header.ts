import { z } from 'zod'

/** A tensor of a safetensors file. */
export interface TensorInfo {
  readonly name: string
  readonly dtype: Dtype
  readonly shape: readonly number[]
}

/** Bytes per element, by the format's names of types. Those of less than a byte are not used for adapters. */
const dtypeBytes = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  I64: 8,
  U64: 8,
  F64: 8,
} as const
export type Dtype = keyof typeof dtypeBytes

/** The bytes are not a safetensors file. The message says why and has no content of the file. */
export class InvalidSafetensors extends Error {
  override name = 'InvalidSafetensors'
}

/** Bytes of the length in front of the header. */
export const lengthBytes = 8
/** Maximum bytes of a header. An adapter of a large model has some thousand tensors, of about 150 bytes each. */
export const maxHeaderBytes = 4 * 1024 * 1024
const maxTensors = 50_000
const maxDimensions = 8

const Tensor = z.strictObject({
  dtype: z.enum(Object.keys(dtypeBytes) as [Dtype, ...Dtype[]]),
  shape: z.array(z.int().min(0)).max(maxDimensions),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
})
const Metadata = z.record(z.string(), z.string())

/**
 * Bytes of the header, without the length in front of it.
 *
 * @param first at least the first 8 bytes of the file
 * @param fileBytes size of the file
 * @throws InvalidSafetensors
 */
export function headerLength(first: Uint8Array, fileBytes: number): number {
  if (first.length < lengthBytes || fileBytes < lengthBytes) throw new InvalidSafetensors('it is shorter than a header')
  const length = new DataView(first.buffer, first.byteOffset, lengthBytes).getBigUint64(0, true)
  if (length > BigInt(maxHeaderBytes)) throw new InvalidSafetensors(`its header has more than ${maxHeaderBytes} bytes`)
  if (length > BigInt(fileBytes - lengthBytes)) throw new InvalidSafetensors('its header is longer than the file')
  return Number(length)
}

/** Tensors that are read between two yields: about a millisecond. */
const tensorsOfStep = 200

/**
 * Reads the header of a safetensors file and checks it as the format's own library does: tensors cover the file without gaps
 * and overlaps. Nothing in the file is executed, and only the header is read. It yields between steps, because a header may take
 * tenths of a second.
 *
 * @param first the file's first bytes: the length and the whole header, or more
 * @param fileBytes size of the file
 * @returns the tensors by their place in the file
 * @throws InvalidSafetensors
 */
export function* readSafetensorsHeader(first: Uint8Array, fileBytes: number): Generator<void, readonly TensorInfo[]> {
  const length = headerLength(first, fileBytes)
  if (first.length < lengthBytes + length) throw new InvalidSafetensors('its header is incomplete')
  const entries = parseHeader(first.subarray(lengthBytes, lengthBytes + length))
  if (entries.length > maxTensors) throw new InvalidSafetensors(`it has more than ${maxTensors} tensors`)
  const tensors: (z.output<typeof Tensor> & { readonly name: string })[] = []
  for (const [name, value] of entries) {
    tensors.push({ name, ...tensorOf(value) })
    if (tensors.length % tensorsOfStep === 0) yield
  }
  yield
  tensors.sort((a, b) => a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1])
  let end = 0
  for (const { dtype, shape, data_offsets: offsets } of tensors) {
    const elements = shape.reduce((product, size) => product * size, 1)
    if (!Number.isSafeInteger(elements)) throw new InvalidSafetensors('a tensor is too large')
    if (offsets[0] !== end) throw new InvalidSafetensors('its tensors overlap or leave gaps')
    if (offsets[1] - offsets[0] !== elements * dtypeBytes[dtype]) {
      throw new InvalidSafetensors('a tensor has another size than its shape')
    }
    end = offsets[1]
  }
  yield
  if (end !== fileBytes - lengthBytes - length) throw new InvalidSafetensors('its tensors do not cover the file')
  return tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape }))
}

function parseHeader(bytes: Uint8Array): readonly (readonly [string, unknown])[] {
  let header: unknown
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new InvalidSafetensors('its header is not JSON', { cause })
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new InvalidSafetensors('its header is not an object')
  }
  const { __metadata__: metadata, ...tensors } = header as Record<string, unknown>
  if (metadata !== undefined && !Metadata.safeParse(metadata).success) {
    throw new InvalidSafetensors('its metadata are not texts')
  }
  return Object.entries(tensors)
}

function tensorOf(value: unknown): z.output<typeof Tensor> {
  const { data, error } = Tensor.safeParse(value)
  if (error !== undefined) throw new InvalidSafetensors('a tensor has no type, shape or place that is known')
  return data
}

/**
 * Whether tensors are a LoRA adapter of one rank, as PEFT writes it: pairs of `….lora_A.weight` of `[rank, in]` and
 * `….lora_B.weight` of `[out, rank]`.
 *
 * @returns the problem; null when there is none. It yields between steps.
 */
export function* checkLoraTensors(tensors: readonly TensorInfo[], rank: number): Generator<void, string | null> {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]))
  if (byName.size === 0) return 'it has no tensors'
  for (const [index, { name, dtype, shape }] of tensors.entries()) {
    if (index % tensorsOfStep === 0) yield
    const [, layer, side] = /^(.+)\.lora_(A|B)\.weight$/.exec(name) ?? []
    if (layer === undefined) return 'it has tensors that are not of a LoRA adapter'
    if (!['F32', 'F16', 'BF16'].includes(dtype)) return 'its tensors are not F32, F16 or BF16'
    const other = side === 'A' ? 'B' : 'A'
    if (!byName.has(`${layer}.lora_${other}.weight`)) return 'a layer has one matrix instead of two'
    if (shape.length !== 2 || shape[side === 'A' ? 0 : 1] !== rank) return `its rank is not ${rank}`
  }
  return null
}
