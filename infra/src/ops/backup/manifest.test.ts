import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkManifest, type Manifest, readManifest } from './manifest.ts'

const manifest: Manifest = {
  format: 1,
  taken_at: '2026-11-22T12:00:00.000Z',
  postgres_major: '18',
  newest_migration: '2_second',
  files: [],
}
const release = { postgresMajor: '18', migrations: ['1_first', '2_second', '3_third'] }

it('can be restored by the same release and by later ones', () => {
  expect(() => checkManifest(manifest, release)).not.toThrow()
})

it.each([
  ['another Postgres', { postgres_major: '19' }, 'The backup is from Postgres 19; this release has 18.'],
  ['a newer release', { newest_migration: '4_fourth' }, 'The backup is from a newer release (migration 4_fourth).'],
])('is refused when it is from %s', (_, change, reason) => {
  expect(() => checkManifest({ ...manifest, ...change }, release)).toThrow(reason)
})

it('must exist and have the right form', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'manifest-'))
  try {
    expect(() => readManifest(folder)).toThrow('is not a complete backup')
    writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify({ ...manifest, format: 2 }))
    expect(() => readManifest(folder)).toThrow('is not a complete backup')
    writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
    expect(readManifest(folder)).toEqual(manifest)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
