import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'
import { checkManifest } from './check-manifest.ts'
import { manifestHash } from './manifest-hash.ts'

const limits = { max_files: 64, max_file_bytes: 100, max_checkpoint_bytes: 150 }
const file = (name: string, more: Partial<CheckpointFile> = {}): CheckpointFile => ({
  name,
  kind: 'adapter',
  sha256: 'ab'.repeat(32),
  bytes: 10,
  ...more,
})
const weights = file('adapter_model.safetensors')
const namesOf = (files: readonly CheckpointFile[]) => checkManifest(files, limits).map(({ name }) => name)

it('accepts weights, settings, tokenizers and any state', () => {
  const tokenizer = ['tokenizer.json', 'tokenizer.model', 'merges.txt', 'chat_template.jinja'].map((name) => file(name))
  expect(namesOf([weights, ...tokenizer, file('optimizer.pt', { kind: 'state' })])).toEqual([])
})

it.each([
  ['files that may contain code', [weights, file('model.bin'), file('run.py')], ['model.bin', 'run.py']],
  ['two files of one name', [weights, file('tokenizer.json'), file('tokenizer.json')], ['tokenizer.json']],
  ['a file that is too large', [weights, file('state.pt', { kind: 'state', bytes: 101 })], ['state.pt']],
  ['too many bytes together', [weights, file('a.json', { bytes: 90 }), file('b.json', { bytes: 90 })], ['*']],
  ['no weights', [file('tokenizer.json')], ['adapter_model.safetensors']],
  [
    'weights that are only a state',
    [file('adapter_model.safetensors', { kind: 'state' })],
    ['adapter_model.safetensors'],
  ],
])('names %s', (_what, files, names) => {
  expect(namesOf(files)).toEqual(names)
})

it('hashes a manifest by names and contents, in any order', () => {
  const other = file('tokenizer.json', { sha256: 'cd'.repeat(32) })
  expect(manifestHash([weights, other])).toBe(manifestHash([other, weights]))
  expect(manifestHash([weights, other])).not.toBe(manifestHash([weights, { ...other, name: 'tokenizer.model' }]))
  expect(manifestHash([weights, other])).toMatch(/^[0-9a-f]{64}$/)
})
