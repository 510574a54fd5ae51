import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { services, telemetryEntry } from '../fleet/service-list.ts'
import { bundleServices } from './bundle-services.ts'
import { bundledEntry } from './bundled-entry.ts'
import { removeOldBundles } from './old-bundles.ts'

it('bundles every service, and equal sources only once', async () => {
  const [bundle, again] = [await bundleServices(), await bundleServices()]
  expect(again).toBe(bundle)
  const threads = [
    'services/logging/src/redaction/redaction-task.ts',
    'services/inference/src/tokenizer/count-worker.ts',
    'services/voice/src/local-speech/speech-worker.ts',
  ]
  const entries = [telemetryEntry, ...services.map(({ entry }) => entry), ...threads]
  expect(entries.filter((entry) => !existsSync(bundledEntry(bundle, entry)))).toEqual([])
  // What a thread would load from there is TypeScript.
  const left = globSync('**/*.mjs', { cwd: bundle }).filter((file) =>
    /new URL\("[^"]*\.ts"/.test(readFileSync(path.join(bundle, file), 'utf8')),
  )
  expect(left).toEqual([])
}, 60_000)

it('removes bundles that were not used for a week', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratchet-bundles-'))
  for (const [name, daysAgo] of [
    ['recent', 6],
    ['old', 8],
  ] as const) {
    const usedAt = new Date(Date.now() - daysAgo * 24 * 60 * 60 * 1_000)
    mkdirSync(path.join(folder, name))
    utimesSync(path.join(folder, name), usedAt, usedAt)
  }
  removeOldBundles(folder)
  expect(readdirSync(folder)).toEqual(['recent'])
  rmSync(folder, { recursive: true })
})
