import { mkdtempSync, readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { WASI } from 'node:wasi'

export interface FliteOrder {
  readonly text: string
  /** Such as `slt`. */
  readonly voice: string
  /** 1: as the voice speaks by itself. */
  readonly speed: number
}

/** The types of Node do not have it. */
const { WebAssembly: wasm } = globalThis as unknown as {
  readonly WebAssembly: {
    compile(bytes: Uint8Array): Promise<object>
    instantiate(module: object, imports: object): Promise<object>
  }
}

type Speak = (order: FliteOrder) => Promise<{ readonly pcm: Int16Array; readonly sampleRate: number }>

/** Flite, compiled to WebAssembly: a program that writes a file, in a folder that nobody else has. */
export function createFlite(wasmFile: string): Speak {
  const module = wasm.compile(readFileSync(wasmFile))
  const folder = mkdtempSync(path.join(tmpdir(), 'flite-'))
  return async ({ text, voice, speed }) => {
    // The program takes no text that begins as an option does.
    const spoken = ` ${text}`
    const args = ['flite', '-voice', voice, '--setf', `duration_stretch=${1 / speed}`, '-t', spoken, '/out/audio.wav']
    const wasi = new WASI({ version: 'preview1', args, preopens: { '/out': folder }, returnOnExit: true })
    const instance = await wasm.instantiate(await module, wasi.getImportObject())
    const status = wasi.start(instance)
    if (status !== 0) throw new Error(`flite ended with ${status}`)
    const file = path.join(folder, 'audio.wav')
    const wave = readWave(await readFile(file))
    await rm(file)
    return wave
  }
}

/** Reads a WAV file with one channel of 16 bits. */
export function readWave(bytes: Buffer): { readonly pcm: Int16Array; readonly sampleRate: number } {
  let sampleRate = 0
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    const from = at + 8
    if (name === 'fmt ') {
      if (bytes.readUInt16LE(from + 2) !== 1 || bytes.readUInt16LE(from + 14) !== 16)
        throw new Error('not mono, 16 bits')
      sampleRate = bytes.readUInt32LE(from + 4)
    }
    if (name === 'data') {
      const data = bytes.subarray(from, from + size)
      const pcm = Int16Array.from({ length: Math.floor(data.length / 2) }, (_, i) => data.readInt16LE(2 * i))
      return { pcm, sampleRate }
    }
    at = from + size + (size % 2)
  }
  throw new Error('no audio in the file')
}
