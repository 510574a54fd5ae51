import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Matrix, writeSafetensors } from '../../trainers/sim/write-safetensors.ts'
import type { Adapter } from '../engines.ts'

export const matrix = (value: number): readonly Matrix[] => [
  { name: 'a', shape: [1, 2], values: Float32Array.of(value, 1) },
]

/** An adapter as the simulated trainer makes it. */
export function adapterOf(name: string, { value = 1, servedAs = 'sim/quality-1' } = {}): Adapter {
  const contents = new Map([
    ['adapter_model.safetensors', writeSafetensors(matrix(value))],
    ['adapter_config.json', Buffer.from(JSON.stringify({ simulated_as: servedAs }))],
  ])
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const files = [...contents].map(([file, bytes]) => ({ name: file, sha256: hashOf(bytes), bytes: bytes.length }))
  const byHash = new Map([...contents.values()].map((bytes) => [hashOf(bytes), bytes]))
  return { name, files, read: async (sha256) => Readable.from([byHash.get(sha256) ?? Buffer.alloc(0)]) }
}
