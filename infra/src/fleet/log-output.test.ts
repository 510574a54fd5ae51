import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import { createLogOutput } from './log-output.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-logs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const sizeOf = (name: string) => statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0

it('keeps a current and a previous file of each process, of a limited size, for their owner alone', async () => {
  const output = createLogOutput({ folder, colours: false, hidden: new Set(), maxFileBytes: 1_000 })
  for (let line = 0; line < 500; line++) {
    output.write('edge', `line ${line}`)
    if (line % 50 === 0) await eventually(() => sizeOf('edge.log') > 0)
  }
  output.write('redis', 'ready')
  await output.close()
  expect(readdirSync(folder).toSorted()).toEqual(['edge.log', 'edge.log.1', 'redis.log'])
  for (const name of readdirSync(folder)) {
    const { size, mode } = statSync(path.join(folder, name))
    expect([name, size <= 1_500, mode & 0o777]).toEqual([name, true, 0o600])
  }
  const written = ['edge.log.1', 'edge.log'].map((name) => readFileSync(path.join(folder, name), 'utf8')).join('')
  expect(written.endsWith('line 498\nline 499\n')).toBe(true)
})
