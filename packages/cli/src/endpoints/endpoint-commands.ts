import {
  createDedicatedEndpoint,
  type DedicatedEndpoint,
  deleteDedicatedEndpoint,
  getDedicatedEndpoint,
  listDedicatedEndpoints,
  listDedicatedHardware,
  startDedicatedEndpoint,
  stopDedicatedEndpoint,
} from '@ratchet/contracts/dedicated'
import { uuidOf } from '@ratchet/contracts/public-id'
import { InvalidArgumentError } from 'commander'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { inUsd } from '../text/in-words.ts'
import { printable } from '../text/printable.ts'
import { settledAnswer } from './watch-endpoint.ts'

/** Commands of dedicated endpoints: what they cost, their states, and their end. */
export function endpointCommands(commands: ApiCommands): void {
  createCommand(commands)
  listCommand(commands)
  hardwareCommand(commands)
  watchCommand(commands)
  changeCommands(commands)
}

function parseEndpointId(value: string): string {
  if (uuidOf('dedicatedEndpoint', value) !== null) return value
  throw new InvalidArgumentError('Expected an id, as `ratchet endpoint list` prints it.')
}

function parseCount(value: string): number {
  if (/^\d{1,2}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Expected a whole number.')
}

function parseUsd(value: string): number {
  const usd = Number(value)
  if (usd > 0) return usd
  throw new InvalidArgumentError('Expected an amount in US dollars.')
}

interface CreateOptions {
  readonly name: string
  readonly model?: string
  readonly versionId?: string
  readonly hardware: string
  readonly min?: number
  readonly max?: number
  readonly maxHourlyCost?: number
  readonly adapter?: readonly string[]
  readonly idempotencyKey?: string
  readonly watch?: true
}

function createCommand({ group, run }: ApiCommands): void {
  group
    .command('create')
    .description('Create an endpoint: replicas of a model for this workspace, charged by the second.')
    .requiredOption('--name <name>', 'its name')
    .option('--model <id>', 'the model that it serves')
    .option('--version-id <id>', 'the model version that it serves, in place of a model')
    .requiredOption('--hardware <id>', 'what a replica runs on; `ratchet endpoint hardware` lists it')
    .option('--min <n>', 'replicas that run also when nobody asks', parseCount)
    .option('--max <n>', 'most replicas', parseCount)
    .option('--max-hourly-cost <usd>', 'stops the endpoint before an hour costs more', parseUsd)
    .option('--adapter <versions...>', 'versions that it answers as too, each under a name of its own')
    .option('--watch', 'show its states until it runs')
    .option('--idempotency-key <key>', 'creates it once, however often the command is repeated')
    .action(
      ({ name, model, versionId, hardware, min, max, maxHourlyCost, adapter, idempotencyKey, watch }: CreateOptions) =>
        run(async (deps) => {
          const api = await deps.connect()
          const first = await api.call(createDedicatedEndpoint, {
            body: {
              name,
              hardware,
              ...(model === undefined ? {} : { model }),
              ...(versionId === undefined ? {} : { modelVersionId: versionId }),
              ...(min === undefined ? {} : { minReplicas: min }),
              ...(max === undefined ? {} : { maxReplicas: max }),
              ...(maxHourlyCost === undefined ? {} : { maxHourlyCostUsd: maxHourlyCost }),
              ...(adapter === undefined ? {} : { adapters: adapter.map((id) => ({ modelVersionId: id })) }),
            },
            ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          })
          if (watch === true) return await settledAnswer(deps, api, first)
          const { id, model_id: modelId } = first.value
          const note = `Requests to \`${printable(modelId)}\` reach it. \`ratchet endpoint watch ${printable(id)}\` shows its states.`
          return { json: first.json, text: id, note }
        }),
    )
}

function listCommand({ group, run }: ApiCommands): void {
  group
    .command('list')
    .description('List the endpoints, newest first.')
    .action(() =>
      run(async ({ connect }) => {
        const { value, json } = await (await connect()).call(listDedicatedEndpoints, {})
        const rows = [['ID', 'STATE', 'REPLICAS', 'LAST HOUR', 'MODEL NAME', 'SERVES'], ...value.map(rowOf)]
        return { json, text: value.length === 0 ? 'no endpoints' : formatTable(rows) }
      }),
    )
}

function rowOf({ id, state, replicas, spend, model_id: modelId, model }: DedicatedEndpoint): readonly string[] {
  const ready = replicas.filter((replica) => replica.state === 'ready').length
  return [printable(id), state, `${ready} ready`, inUsd(spend.hour_usd), printable(modelId), printable(model)]
}

function hardwareCommand({ group, run }: ApiCommands): void {
  group
    .command('hardware')
    .description('List what replicas can run on, with its price.')
    .option('--model <id>', 'say whether this model runs on it')
    .action(({ model }: { readonly model?: string }) =>
      run(async ({ connect }) => {
        const query = model === undefined ? {} : { model }
        const { value, json } = await (await connect()).call(listDedicatedHardware, { query })
        const rows = value.map(({ id, gpu, gpu_count: gpus, price_usd_per_hour: price, availability, fits }) => [
          printable(id),
          gpu === null ? '-' : printable(`${gpus} x ${gpu}`),
          `${inUsd(price)} an hour`,
          availability,
          fits === null ? '-' : fits ? 'yes' : 'no',
        ])
        const text = formatTable([['ID', 'GPU', 'PRICE', 'AVAILABILITY', 'RUNS THE MODEL'], ...rows])
        return { json, text: value.length === 0 ? 'no hardware' : text }
      }),
    )
}

function watchCommand({ group, run }: ApiCommands): void {
  group
    .command('watch')
    .description('Show the states of an endpoint until it runs, sleeps or has stopped. Exit code 1 when it has failed.')
    .argument('<id>', 'the endpoint', parseEndpointId)
    .action((id: string) =>
      run(async (deps) => {
        const api = await deps.connect()
        return await settledAnswer(deps, api, await api.call(getDedicatedEndpoint, { params: { id } }))
      }),
    )
}

function changeCommands({ group, run }: ApiCommands): void {
  const changes = [
    ['start', 'Start an endpoint that has stopped.', startDedicatedEndpoint],
    ['stop', 'Stop an endpoint. Its requests are finished first.', stopDedicatedEndpoint],
  ] as const
  for (const [name, description, endpoint] of changes) {
    group
      .command(name)
      .description(description)
      .argument('<id>', 'the endpoint', parseEndpointId)
      .action((id: string) =>
        run(async ({ connect }) => {
          const { value, json } = await (await connect()).call(endpoint, { params: { id } })
          return { json, text: value.state }
        }),
      )
  }
  group
    .command('delete')
    .description('Delete an endpoint. Its name in requests is never used again.')
    .argument('<id>', 'the endpoint', parseEndpointId)
    .action((id: string) =>
      run(async ({ connect }) => {
        const { json } = await (await connect()).call(deleteDedicatedEndpoint, { params: { id } })
        return { json, text: 'deleted' }
      }),
    )
}
