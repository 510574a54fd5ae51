import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { identify, isRunning, type ProcessIdentity } from '../processes/process-identity.ts'
import { writePrivateJson } from './fleet-file.ts'
import { claimRun, type RunRecord, recordChildren, releaseRun, runningSupervisor } from './run-record.ts'

const quiet = () => undefined
const children: ChildProcess[] = []
let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'run-record-'))
  file = path.join(folder, 'run.json')
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

async function someProcess(script = 'setInterval(() => {}, 1000)'): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', `${script}; console.log('up')`], { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  await once(child.stdout, 'data')
  const identity = identify(child.pid ?? 0)
  if (identity === null) throw new Error('the process has ended already')
  return identity
}

function record(value: RunRecord): void {
  writePrivateJson(file, value)
}

it('lets exactly one of many concurrent claims succeed', async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => claimRun(file, quiet)))
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('names the supervisor that runs on the folder', async () => {
  const supervisor = await someProcess()
  record({ supervisor, children: {} })
  expect(await claimRun(file, quiet)).toEqual({ kind: 'taken', supervisor })
  expect(runningSupervisor(file)).toEqual(supervisor)
})

it('ends processes that a killed supervisor left running, and claims the folder', async () => {
  const left = await someProcess()
  const said: string[] = []
  record({ supervisor: { pid: 999_999, started: '1' }, children: { edge: left } })
  expect(await claimRun(file, (text) => said.push(text))).toEqual({ kind: 'claimed' })
  expect(isRunning(left)).toBe(false)
  expect(said).toEqual(['the previous fleet was killed; stopping its remaining processes (edge)'])
})

it('does not end an unrelated process that has the same process id', async () => {
  const outsider = await someProcess()
  record({ supervisor: { pid: 999_999, started: '1' }, children: { edge: { ...outsider, started: 'earlier' } } })
  await claimRun(file, quiet)
  expect(isRunning(outsider)).toBe(true)
})

it('records the processes of the fleet, and removes the record at the end', async () => {
  const { pid } = await someProcess()
  await claimRun(file, quiet)
  recordChildren(file, { edge: pid, gone: 999_999 })
  expect(runningSupervisor(file)?.pid).toBe(process.pid)
  releaseRun(file)
  expect(existsSync(file)).toBe(false)
})
