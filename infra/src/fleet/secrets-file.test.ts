import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { keysOf, loadSecrets } from './secrets-file.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'secrets-file-'))
const file = path.join(folder, 'secrets.json')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('creates every secret once and stores it, readable by its owner only', () => {
  const first = loadSecrets(file, undefined)
  expect(loadSecrets(file, undefined)).toEqual(first)
  expect(new Set(Object.values(first)).size).toBe(Object.keys(first).length)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('adds secrets that a folder of an earlier release does not have, and changes no other', () => {
  const { encryption_keys: _, ...earlier } = loadSecrets(file, undefined)
  writeFileSync(file, JSON.stringify(earlier))
  const now = loadSecrets(file, undefined)
  expect(now).toMatchObject(earlier)
  expect(keysOf(now)).toEqual({
    masterKeys: [{ id: 'k1', secret: expect.any(Buffer) }],
    encryptionKeys: [{ id: 'k1', secret: expect.any(Buffer) }],
    authSecret: expect.stringMatching(/^[\w-]{32}$/),
  })
})
