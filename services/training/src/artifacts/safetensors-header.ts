import { isUtf8 } from 'node:buffer'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { type MemberSpan, scanJson } from '@ratchet/service-kit/json/scan-json'
import { isObject } from '@ratchet/service-kit/values/json'
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
const metadataName = '__metadata__'
/** Libraries write the name of a framework. */
const maxMetadataBytes = 256 * kibibyte
/** A tensor is a member with three others. Parsed at once, a header could hold up others for more than a second. */
const headerLimits = { maxDepth: 8, maxKeys: 4 * maxTensors + 10_000, mayHaveProto: true } as const

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
  const header = Buffer.from(first.buffer, first.byteOffset + lengthBytes, length)
  const members = membersOf(header)
  if (members.size > maxTensors + 1) throw new InvalidSafetensors(`it has more than ${maxTensors} tensors`)
  const metadata = members.get(metadataName)
  if (metadata !== undefined) checkMetadata(header, metadata)
  yield
  const tensors: (z.output<typeof Tensor> & { readonly name: string })[] = []
  for (const [name, span] of members) {
    if (name === metadataName) continue
    tensors.push({ name, ...tensorOf(valueAt(header, span)) })
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

/** Members of the header by name; their values are not parsed yet. */
function membersOf(bytes: Buffer): ReadonlyMap<string, MemberSpan> {
  if (!isUtf8(bytes)) throw new InvalidSafetensors('its header is not JSON')
  const scan = scanJson(bytes, headerLimits)
  if (!scan.ok) {
    const isOther = scan.reason === 'not_an_object'
    throw new InvalidSafetensors(
      isOther ? 'its header is not an object' : 'its header is not JSON, or has too much of it',
    )
  }
  return scan.topLevel
}

function valueAt(bytes: Buffer, { start, end }: MemberSpan): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end))
  } catch (cause) {
    throw new InvalidSafetensors('its header is not JSON', { cause })
  }
}

function checkMetadata(bytes: Buffer, span: MemberSpan): void {
  if (span.end - span.start > maxMetadataBytes) {
    throw new InvalidSafetensors(`its metadata have more than ${maxMetadataBytes} bytes`)
  }
  const metadata = valueAt(bytes, span)
  if (!isObject(metadata) || !Object.values(metadata).every((value) => typeof value === 'string')) {
    throw new InvalidSafetensors('its metadata are not texts')
  }
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
