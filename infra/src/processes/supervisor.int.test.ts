import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import type { ChildSpec } from './child.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'

let folder = ''
let said: string[] = []
let lines: string[] = []
let supervisor: Supervisor

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'supervisor-'))
  said = []
  lines = []
  supervisor = createSupervisor({
    onLine: (name, line) => lines.push(`${name}: ${line}`),
    say: (text) => said.push(text),
    onPids: () => undefined,
  })
})

afterEach(async () => {
  await supervisor.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A process that writes what happens to it to a journal, and is ready when the journal says so. */
function spec(name: string, script: string, options: Partial<ChildSpec> = {}): ChildSpec {
  const journal = path.join(folder, 'journal')
  writeFileSync(journal, '', { flag: 'a' })
  const prelude = `const note = (text) => require('node:fs').appendFileSync(${JSON.stringify(journal)}, '${name} ' + text + '\\n');`
  return {
    name,
    command: process.execPath,
    args: ['-e', `${prelude} setInterval(() => {}, 1000); ${script}; note('ready')`],
    env: {},
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
    readyTimeoutMs: 10_000,
    isReady: async () => journalLines().includes(`${name} ready`),
    ...options,
  }
}

function journalLines(): string[] {
  return readFileSync(path.join(folder, 'journal'), 'utf8').trim().split('\n')
}

const polite = "process.on('SIGTERM', () => { note('stopped'); process.exit(0) })"

it('restarts a killed process and reports it', async () => {
  await supervisor.start(spec('a', polite))
  const first = supervisor.pids().a
  process.kill(first ?? 0, 'SIGKILL')
  await eventually(() => expect(said).toContain('a is running again'))
  expect(said[0]).toBe('a was killed by SIGKILL; restarting it')
  expect(supervisor.pids().a).not.toBe(first)
})

it('stops processes in the reverse order of their start, one after the other', async () => {
  for (const name of ['a', 'b', 'c']) await supervisor.start(spec(name, polite))
  await supervisor.stop()
  expect(journalLines().filter((line) => line.endsWith('stopped'))).toEqual(['c stopped', 'b stopped', 'a stopped'])
  expect(supervisor.pids()).toEqual({})
  expect(said).toEqual([])
})

it('forgets the processes that it clears, and runs later ones', async () => {
  await supervisor.start(spec('a', polite))
  await supervisor.clear()
  expect([supervisor.pids(), said, supervisor.isStopping()]).toEqual([{}, [], false])
  await supervisor.start(spec('b', polite))
  expect(Object.keys(supervisor.pids())).toEqual(['b'])
})

it('kills a process that does not stop within its timeout', async () => {
  await supervisor.start(spec('a', "process.on('SIGTERM', () => note('deaf'))", { stopTimeoutMs: 200 }))
  await supervisor.stop()
  expect(journalLines()).toContain('a deaf')
  expect(supervisor.pids()).toEqual({})
})

it('ends a drain with a second signal', async () => {
  const draining =
    "let received = 0; process.on('SIGTERM', () => { note('received ' + ++received); if (received === 2) process.exit(0) })"
  await supervisor.start(spec('a', draining, { drains: true, stopTimeoutMs: 60_000 }))
  const stopping = supervisor.stop()
  await eventually(() => expect(journalLines()).toContain('a received 1'))
  supervisor.hurry()
  await stopping
  expect(journalLines()).toContain('a received 2')
})

it('rejects with the last output of a process that does not become ready', async () => {
  const failing = spec('a', "process.on('exit', () => console.error('Error: no such file')); process.exit(3)")
  await expect(supervisor.start(failing)).rejects.toThrow('a stopped with code 3.\n    Error: no such file')
})

it('rejects for a program that does not exist', async () => {
  await expect(supervisor.start(spec('a', '', { command: '/nowhere/at-all' }))).rejects.toThrow(/a stopped.*\n.*ENOENT/)
})

it('stops a process that is still starting', async () => {
  const starting = supervisor.start(spec('a', polite, { isReady: async () => false }))
  const failed = expect(starting).rejects.toThrow('a stopped with code 0')
  await eventually(() => expect(journalLines()).toContain('a ready'))
  await supervisor.stop()
  await failed
})

it('passes on every line that a process prints', async () => {
  await supervisor.start(spec('a', "console.log('out'); console.error('err')"))
  await eventually(() => expect(lines).toEqual(expect.arrayContaining(['a: out', 'a: err'])))
})
