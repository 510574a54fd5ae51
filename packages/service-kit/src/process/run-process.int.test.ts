import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { eventually } from '@ratchet/testing/eventually'

interface Running {
  readonly child: ChildProcess
  /** What it logged so far. */
  readonly messages: string[]
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

const running: Running[] = []
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
})

function run(scenario: string): Running {
  const fixture = path.join(import.meta.dirname, 'run-process.fixture.ts')
  const child = spawn(process.execPath, [fixture, scenario], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const messages: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { msg, err } = JSON.parse(line)
    messages.push(err === undefined ? msg : `${msg}: ${err.message}`)
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  const started = { child, messages, ended }
  running.push(started)
  return started
}

async function runReady(scenario: string): Promise<Running> {
  const started = run(scenario)
  await eventually(() => expect(started.messages).toContain('ready'))
  return started
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s runs the stop functions in reverse order, and exits by itself',
  async (signal) => {
    const { child, messages, ended } = await runReady('orderly')

    child.kill(signal)

    expect(await ended).toBe(0)
    expect(messages).toEqual(['ready', 'stopping', 'stopping third', 'stopping second', 'stopping first', 'stopped'])
  },
)

it('logs a stop function that fails, and runs the others', async () => {
  const { child, messages, ended } = await runReady('failing')

  child.kill('SIGTERM')

  expect(await ended).toBe(0)
  expect(messages).toEqual([
    'ready',
    'stopping',
    'stop failed: would not stop either',
    'stop failed: would not stop',
    'stopping the last',
    'stopped',
  ])
})

it('aborts `hurry` at the second signal', async () => {
  const { child, messages, ended } = await runReady('hurrying')
  child.kill('SIGTERM')
  await eventually(() => expect(messages).toContain('waiting'))

  child.kill('SIGINT')

  expect(await ended).toBe(0)
  expect(messages).toEqual(['ready', 'stopping', 'waiting', 'hurried', 'stopped'])
})

it('exits with 1 when stopping takes longer than graceMs', async () => {
  const { child, messages, ended } = await runReady('stuck')

  child.kill('SIGTERM')

  expect(await ended).toBe(1)
  expect(messages).toEqual(['ready', 'stopping', 'waiting'])
})

it('runs the stop functions and exits with 1 when the start fails', async () => {
  const { messages, ended } = run('broken')

  expect(await ended).toBe(1)
  expect(messages).toEqual(['failed: no database', 'stopping the first part', 'stopped'])
})

it('undoes a start without a database and tries it again', async () => {
  const { child, messages, ended } = await runReady('early')

  child.kill('SIGTERM')

  expect(await ended).toBe(0)
  const notYet = 'the database cannot answer yet: refused'
  expect(messages).toEqual([
    notYet,
    'stopping start 1',
    notYet,
    'stopping start 2',
    'ready',
    'stopping',
    'stopping start 3',
    'stopped',
  ])
})

it('ends at a signal between two starts', async () => {
  const { child, messages, ended } = run('lonely')
  await eventually(() => expect(messages).toContain('stopping the first part'))

  child.kill('SIGTERM')

  expect(await ended).toBe(0)
  expect(messages).toEqual([
    'the database cannot answer yet: refused',
    'stopping the first part',
    'stopping',
    'stopped',
  ])
})
