import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import {
  checkLoraTensors,
  InvalidSafetensors,
  lengthBytes,
  maxHeaderBytes,
  readSafetensorsHeader,
  type TensorInfo,
} from './safetensors-header.ts'

const tensor = (dtype: string, shape: number[], offsets: [number, number]) => ({ dtype, shape, data_offsets: offsets })

function endOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

function fileOf(header: unknown, dataBytes: number): Buffer {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const length = Buffer.alloc(lengthBytes)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, Buffer.alloc(dataBytes)])
}

const read = (file: Buffer) => endOf(readSafetensorsHeader(file, file.length))

it('reads tensors in the order of their bytes, with metadata beside them', () => {
  const header = {
    __metadata__: { format: 'pt' },
    b: tensor('BF16', [2, 3], [8, 20]),
    a: tensor('F32', [2], [0, 8]),
  }
  expect(read(fileOf(header, 20))).toEqual([
    { name: 'a', dtype: 'F32', shape: [2] },
    { name: 'b', dtype: 'BF16', shape: [2, 3] },
  ])
})

it('needs only the first bytes of a file', () => {
  const file = fileOf({ a: tensor('U8', [1_000], [0, 1_000]) }, 1_000)
  expect(endOf(readSafetensorsHeader(file.subarray(0, file.length - 1_000), file.length))).toHaveLength(1)
})

it.each([
  ['a pickle', Buffer.from('80049528000000000000008c', 'hex')],
  ['an empty file', Buffer.alloc(0)],
  ['a header that is longer than the file', fileOf({}, 0).fill(0xff, 0, 2)],
  ['a header that is not JSON', fileOf('{', 0)],
  ['a header that is not UTF-8', fileOf('{"a\u{1F600}":1}', 0).fill(0xff, 10, 12)],
  ['a list', fileOf([], 0)],
  ['metadata of numbers', fileOf({ __metadata__: { a: 1 } }, 0)],
  ['an unknown type', fileOf({ a: tensor('PICKLE', [1], [0, 1]) }, 1)],
  ['an unknown key', fileOf({ a: { ...tensor('U8', [1], [0, 1]), code: 'x' } }, 1)],
  ['a negative size', fileOf({ a: tensor('U8', [-1], [0, 1]) }, 1)],
  ['sizes whose product is too large', fileOf({ a: tensor('U8', [2 ** 40, 2 ** 40], [0, 1]) }, 1)],
  ['another size than the shape', fileOf({ a: tensor('F32', [2], [0, 4]) }, 4)],
  ['an end before the beginning', fileOf({ a: tensor('U8', [0], [0, 0]), b: tensor('U8', [1], [1, 0]) }, 1)],
  ['overlapping tensors', fileOf({ a: tensor('U8', [2], [0, 2]), b: tensor('U8', [2], [1, 3]) }, 3)],
  ['a gap', fileOf({ a: tensor('U8', [1], [1, 2]) }, 2)],
  ['bytes after the last tensor', fileOf({ a: tensor('U8', [1], [0, 1]) }, 2)],
  ['fewer bytes than the tensors', fileOf({ a: tensor('U8', [9], [0, 9]) }, 2)],
])('refuses %s', (_what, file) => {
  expect(() => read(file)).toThrow(InvalidSafetensors)
})

it('refuses a huge header before it is read', () => {
  const first = Buffer.alloc(lengthBytes)
  first.writeBigUInt64LE(BigInt(maxHeaderBytes) + 1n)
  expect(() => endOf(readSafetensorsHeader(first, 2 ** 40))).toThrow(/header has more/)
})

it('answers any bytes with tensors or one kind of error', () => {
  const json = fc.json({ maxDepth: 4 }).map((text) => fileOf(text, 8))
  const bytes = fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each))
  const nearly = fc
    .record({
      dtype: fc.constantFrom('F32', 'U8', 'F64', 'X', 1),
      shape: fc.array(fc.oneof(fc.nat(5), fc.integer(), fc.double()), { maxLength: 4 }),
      data_offsets: fc.array(fc.oneof(fc.nat(20), fc.double()), { minLength: 1, maxLength: 3 }),
    })
    .map((each) => fileOf({ a: each }, 20))
  fc.assert(
    fc.property(fc.oneof(json, bytes, nearly), (file) => {
      try {
        return read(file).every(({ shape }) => shape.every((size) => size >= 0))
      } catch (error) {
        return error instanceof InvalidSafetensors
      }
    }),
    { numRuns: 2_000 },
  )
})

describe('checkLoraTensors', () => {
  const pair: TensorInfo[] = [
    { name: 'layers.0.q_proj.lora_A.weight', dtype: 'F32', shape: [8, 16] },
    { name: 'layers.0.q_proj.lora_B.weight', dtype: 'F32', shape: [32, 8] },
  ]
  const [a, b] = pair as [TensorInfo, TensorInfo]

  it('accepts pairs of the rank', () => {
    expect(endOf(checkLoraTensors(pair, 8))).toBeNull()
  })

  it.each([
    ['no tensors', []],
    ['half a pair', [a]],
    ['another rank', [a, { ...b, shape: [32, 4] }]],
    ['whole weights', [...pair, { name: 'lm_head.weight', dtype: 'F32', shape: [1, 1] } as TensorInfo]],
    ['whole numbers', [a, { ...b, dtype: 'I64' } as TensorInfo]],
  ])('refuses %s', (_what, tensors) => {
    expect(endOf(checkLoraTensors(tensors, 8))).toEqual(expect.any(String))
  })
})

it('reads and checks tens of thousands of tensors in short steps', () => {
  const pairs = Array.from({ length: 12_000 }, (_, index) => {
    const names = ['A', 'B'].map((side) => `model.layers.${index}.lora_${side}.weight`)
    return names.map((name, side): [string, object] => {
      const from = (2 * index + side) * 4
      return [name, tensor('F32', [1, 1], [from, from + 4])]
    })
  })
  const file = fileOf(Object.fromEntries(pairs.flat()), 24_000 * 4)
  let steps = 0
  const counted = <T>(work: Generator<void, T>): T => {
    for (;;) {
      const step = work.next()
      if (step.done === true) return step.value
      steps += 1
    }
  }
  const tensors = counted(readSafetensorsHeader(file, file.length))
  expect(tensors).toHaveLength(24_000)
  expect(counted(checkLoraTensors(tensors, 1))).toBeNull()
  expect(steps).toBeGreaterThan(200)
})

it.each([
  ['metadata', `{"__metadata__":{${members(400_000, '""')}}}`],
  ['wrong metadata', `{"__metadata__":{${members(400_000, '1')}}}`],
  ['names', `{${members(400_000, '1')}}`],
  ['members of a tensor', `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,0],${members(300_000, '1')}}}`],
  ['depth', `{"a":${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}}`],
])('refuses a header of megabytes of %s in short steps', (_what, header) => {
  const file = fileOf(header, 0)
  const steps = readSafetensorsHeader(file, file.length)
  let longestMs = 0
  let refusal: unknown = null
  const goOn = () => {
    try {
      if (steps.next().done === true) refusal = 'none'
    } catch (error) {
      refusal = error
    }
  }
  while (refusal === null) longestMs = Math.max(longestMs, cpuMs(goOn))
  expect(refusal).toBeInstanceOf(InvalidSafetensors)
  expect(longestMs).toBeLessThan(500)
})

function members(count: number, value: string): string {
  return Array.from({ length: count }, (_, index) => `"${index.toString(36)}":${value}`).join(',')
}
