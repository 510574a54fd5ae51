import { readFile } from 'node:fs/promises'
import {
  createEnvironmentTool,
  type EnvironmentTool,
  listEnvironmentTools,
  testEnvironmentTool,
} from '@ratchet/contracts/environment-tools'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { ApiCommands } from '../api/api-commands.ts'
import { addList } from '../api/list-command.ts'
import { CliError } from '../cli-error.ts'
import { printable } from '../text/printable.ts'

/** Commands of environment tools: what models may call in training runs. */
export function toolCommands(commands: ApiCommands): void {
  addList<typeof listEnvironmentTools, EnvironmentTool>(commands, {
    name: 'list',
    description: 'List environment tools, newest first.',
    endpoint: listEnvironmentTools,
    filters: [['--kind <kind>', 'kind', 'only tools of this kind: http, static or recorded']],
    limit: '20',
    heading: ['ID', 'NAME', 'KIND', 'VERSION', 'CALLS', 'FAILED', 'FOUND'],
    rowOf: ({ id, name, kind, version, stats }) => [
      id,
      name,
      kind,
      String(version),
      String(stats.calls),
      String(stats.errors),
      stats.hit_rate === null ? '-' : `${Math.round(stats.hit_rate * 100)} %`,
    ],
    empty: 'no environment tools; `ratchet tools create` makes one',
  })
  create(commands)
  test(commands)
}

const JsonObject = z.record(z.string(), z.unknown())

function create({ group, run }: ApiCommands): void {
  group
    .command('create')
    .description(
      'Create a tool from a file with the body of `POST /v1/environment_tools`. A signing secret is printed once.',
    )
    .argument('<file>', 'JSON')
    .action((file: string) =>
      run(async ({ connect }) => {
        const body = await readBody(file)
        const api = await connect()
        const { value, json } = await api.call(createEnvironmentTool, { body })
        const secret = value.signing_secret === null ? '' : `\nsecret  ${value.signing_secret}`
        return { json, text: `${value.id}${secret}`, note: `\`ratchet tools test ${value.id}\` calls it.` }
      }),
    )
}

type Body = z.input<typeof createEnvironmentTool.body>

/** The service checks the fields. @throws CliError for a file that has no JSON object */
async function readBody(file: string): Promise<Body> {
  try {
    return JsonObject.parse(JSON.parse(await readFile(file, 'utf8'))) as Body
  } catch (cause) {
    throw new CliError(`${file} cannot be read as a JSON object`, { cause })
  }
}

function test({ group, run }: ApiCommands): void {
  group
    .command('test')
    .description('Call a tool once, and show what a model would see. Exit code 1 when the call failed.')
    .argument('<id>', 'the tool')
    .option('--arguments <json>', 'the arguments of the call', parseArguments, {})
    .action((id: string, options: { readonly arguments: Readonly<Record<string, unknown>> }) =>
      run(async ({ connect }) => {
        const api = await connect()
        const body = { arguments: { ...options.arguments } }
        const { value, json } = await api.call(testEnvironmentTool, { params: { id }, body })
        const marks = [
          value.ok ? 'answered' : (value.error?.code ?? 'failed'),
          `${value.duration_ms} ms`,
          ...(value.recorded_hit === null ? [] : [value.recorded_hit ? 'recorded' : 'not recorded']),
          ...(value.truncated ? ['cut'] : []),
        ]
        const text = printable(value.result)
        return { json, text, note: marks.join(', '), ...(value.ok ? {} : { exitCode: 1 as const }) }
      }),
    )
}

function parseArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    return JsonObject.parse(JSON.parse(text))
  } catch {
    throw new InvalidArgumentError('Expected a JSON object.')
  }
}
