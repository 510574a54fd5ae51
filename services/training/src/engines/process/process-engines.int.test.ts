import { eventually } from '@ratchet/testing/eventually'
import { createAdapterFolders } from '../adapter-folders.ts'
import { createEngineClient } from '../engine-client.ts'
import type { EngineOrder } from '../engines.ts'
import { createProcessEngines } from './process-engines.ts'

const order: EngineOrder = {
  name: 'pool-1',
  baseModel: 'tiny/base',
  modelSource: '/models/tiny',
  hardware: null,
  maxContextLength: null,
  maxAdapters: 2,
  precision: 'auto',
}

/** A server that says its arguments as the name of its model, and ends when its input does. */
const server = `
  const { createServer } = require('node:http')
  const models = JSON.stringify({ data: [{ id: process.argv.slice(1).join(' ') + ' ' + Object.keys(process.env).join() }] })
  const served = createServer((request, response) => response.end(models)).listen(0, '127.0.0.1', () =>
    console.log(JSON.stringify({ url: 'http://127.0.0.1:' + served.address().port })))
  process.stdin.resume().on('end', () => process.exit(0))`

const made: ReturnType<typeof createProcessEngines>[] = []
afterAll(() => Promise.all(made.map((engines) => engines.close())))

function enginesOf(script: string, graceMs = 5_000) {
  const command = [process.execPath, '-e', script, '--'] as const
  const folders = createAdapterFolders('.data/not-used')
  const engines = createProcessEngines({ command, environment: { A: 'b' }, folders, errors: 'inherit', graceMs })
  made.push(engines)
  return engines
}

it('starts one process for a name, with its own variables, and finds its address', async () => {
  const engines = enginesOf(server)
  await engines.start(order)
  await engines.start(order)
  const [started] = await eventually(async () => {
    const list = await engines.list()
    expect(list).toMatchObject([{ name: 'pool-1', state: 'running' }])
    return list
  })
  const client = createEngineClient({ address: started?.address ?? '' })
  const [name] = await client.models()
  expect(name).toMatch(/^\/models\/tiny --name tiny\/base --host 127.0.0.1 --port 0 --until-closed A/)
  await client.close()
  await engines.stop('pool-1', 'gracefully')
  expect(await engines.list()).toMatchObject([{ state: 'exited' }])
  await engines.forget('pool-1')
  expect(await engines.list()).toEqual([])
})

it('sees that a process has ended, or could not be started', async () => {
  const engines = enginesOf('process.exit(3)')
  await engines.start(order)
  await eventually(async () => expect(await engines.list()).toMatchObject([{ state: 'exited', address: null }]))
})

it('kills a process that does not listen', async () => {
  const engines = enginesOf(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`, 50)
  await engines.start(order)
  await engines.stop('pool-1', 'gracefully')
  expect(await engines.list()).toMatchObject([{ state: 'exited' }])
})
