import { eventually } from '@ratchet/testing/eventually'
import type { Trainer } from '../trainer.ts'
import { createProcessTrainer } from './process-trainer.ts'

const started: Trainer[] = []
afterAll(async () => {
  for (const trainer of started) {
    for (const { name } of await trainer.list()) await trainer.stop(name, 'now')
  }
})

const order = {
  name: 'train-1',
  url: 'http://training',
  token: 'a token',
  model: 'sim/large',
  workspaceId: '0a000000-0000-4000-8000-000000000001',
}

function trainerOf(script: string, graceMs = 10_000, maxMemoryBytes: number | null = null) {
  const exits: string[] = []
  const trainer = createProcessTrainer({
    command: [process.execPath, '-e', script],
    slots: 1,
    environment: { LANG: 'C' },
    errors: 'inherit',
    maxMemoryBytes,
    graceMs,
    onExit: (name) => exits.push(name),
  })
  started.push(trainer)
  return { trainer, exits }
}

const codeOf = async (trainer: Trainer) => (await trainer.list())[0]?.exitCode

it('starts a program once, with the address and the token alone', async () => {
  const check = `process.exit(
    process.env.RATCHET_TRAINER_URL === 'http://training' && process.env.RATCHET_JOB_TOKEN === 'a token'
      && process.env.LANG === 'C' && process.env.HOME === undefined ? 0 : 9)`
  const { trainer, exits } = trainerOf(check)
  await trainer.start(order)
  await trainer.start(order)
  await eventually(async () => expect(await codeOf(trainer)).toBe(0))
  expect(exits).toEqual(['train-1'])
  await trainer.forget('train-1')
  expect(await trainer.list()).toEqual([])
})

it('reports the code of a program that saves when it is stopped', async () => {
  const { trainer } = trainerOf(`process.on('SIGTERM', () => process.exit(75)); setInterval(() => {}, 1000)`)
  await trainer.start(order)
  expect(await codeOf(trainer)).toBeNull()
  // A signal that comes before the program listens ends it without a code.
  await eventually(async () => {
    await trainer.stop('train-1', 'gracefully')
    expect([75, 1]).toContain(await codeOf(trainer))
  })
})

it.each(['now', 'gracefully'] as const)('kills a program that does not listen: %s', async (how) => {
  const { trainer, exits } = trainerOf(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`, 50)
  await trainer.start(order)
  await trainer.stop('train-1', how)
  expect(await codeOf(trainer)).toBe(1)
  expect(exits).toEqual(['train-1'])
})

it('counts a program that cannot be started as one that has failed', async () => {
  const exits: string[] = []
  const onExit = (name: string) => exits.push(name)
  const trainer = createProcessTrainer({
    command: ['/nowhere/python'],
    slots: 1,
    environment: {},
    errors: 'ignore',
    maxMemoryBytes: null,
    graceMs: 100,
    onExit,
  })
  await trainer.start(order)
  await eventually(async () => expect(await codeOf(trainer)).toBe(1))
  expect(exits).toEqual(['train-1'])
})

const isLinux = process.platform === 'linux'
it.each([
  [2 ** 30, 0],
  [2 ** 33, 7],
])('limits the memory that a program can fill to %s bytes, where the system can', async (maxMemoryBytes, code) => {
  const script = `try { Buffer.alloc(2 ** 31, 1); process.exit(7) } catch (error) { process.exit(error instanceof RangeError ? 0 : 8) }`
  const { trainer } = trainerOf(script, 10_000, isLinux ? maxMemoryBytes : null)
  await trainer.start(order)
  await eventually(async () => expect(await codeOf(trainer)).toBe(isLinux ? code : 7))
})
