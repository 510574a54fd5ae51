import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  testWebhook,
  type Webhook,
  type WebhookDelivery,
  WebhookEventType,
  webhookEventTypes,
  webhookFormats,
} from '@ratchet/contracts/webhooks'
import { InvalidArgumentError, Option } from 'commander'
import type { ApiCommands } from '../api/api-commands.ts'
import { addList } from '../api/list-command.ts'
import { cut } from '../text/cut.ts'

export function webhookCommands(commands: ApiCommands): void {
  addList<typeof listWebhooks, Webhook>(commands, {
    name: 'list',
    description: 'List webhooks, newest first.',
    endpoint: listWebhooks,
    limit: '20',
    heading: ['ID', 'URL', 'ON', 'EVENTS'],
    rowOf: ({ id, url, enabled, events }) => [id, url, enabled ? 'yes' : 'no', events.join(', ')],
    empty: 'no webhooks; `ratchet webhooks create` makes one',
  })
  create(commands)
  test(commands)
  addList<typeof listDeliveries, WebhookDelivery>(commands, {
    name: 'deliveries',
    description: 'List the messages to a webhook, newest first, with the last answer of its receiver.',
    endpoint: listDeliveries,
    params: [['id', 'the webhook']],
    limit: '20',
    heading: ['ID', 'AT', 'TYPE', 'STATUS', 'ATTEMPTS', 'LAST ANSWER'],
    rowOf: (delivery) => [
      delivery.id,
      delivery.created_at,
      delivery.type,
      delivery.status,
      String(delivery.attempts.length),
      cut(lastAnswer(delivery), 60),
    ],
    empty: 'no messages were sent to it',
  })
  remove(commands)
}

function lastAnswer({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1)
  return last === undefined ? '-' : (last.error ?? String(last.status))
}

interface CreateOptions {
  readonly events: WebhookEventType[]
  readonly format: Webhook['format']
}

function create({ group, run }: ApiCommands): void {
  group
    .command('create')
    .description('Send events to a URL. The signing secret is printed once.')
    .argument('<url>', 'https, or http on this machine for a fleet of `npm start`')
    .requiredOption(
      '--events <events>',
      `with commas between them: ${webhookEventTypes.join(', ')}, or all`,
      parseEvents,
    )
    .addOption(new Option('--format <format>', 'what the URL understands').choices(webhookFormats).default('standard'))
    .action((url: string, { events, format }: CreateOptions) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(createWebhook, { body: { url, events, format } })
        const note = `\`ratchet webhooks test ${value.id}\` sends a message to it.`
        return { json, text: `${value.id}\nsecret  ${value.secret}`, note }
      }),
    )
}

function parseEvents(value: string): WebhookEventType[] {
  if (value === 'all') return [...webhookEventTypes]
  return value.split(',').map((name) => {
    const event = WebhookEventType.safeParse(name.trim())
    if (!event.success) throw new InvalidArgumentError(`${name.trim()} is no event.`)
    return event.data
  })
}

function test({ group, run }: ApiCommands): void {
  group
    .command('test')
    .description(
      'Send a signed test message, and show how the receiver answered. Exit code 1 when it was not accepted.',
    )
    .argument('<id>', 'the webhook')
    .action((id: string) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(testWebhook, { params: { id }, prefer: 'wait=30' })
        const isDelivered = value.status === 'delivered'
        const text = isDelivered ? `delivered: ${lastAnswer(value)}` : `not delivered yet: ${lastAnswer(value)}`
        return { json, text, ...(isDelivered ? {} : { exitCode: 1 as const }) }
      }),
    )
}

function remove({ group, run }: ApiCommands): void {
  group
    .command('delete')
    .description('Delete a webhook with its messages.')
    .argument('<id>', 'the webhook')
    .action((id: string) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { json } = await api.call(deleteWebhook, { params: { id } })
        return { json, text: `deleted ${id}` }
      }),
    )
}
