import type { Webhook } from '@ratchet/contracts/webhooks'
import { asObject, parseJson } from '@ratchet/service-kit/values/json'

export type WebhookFormat = Webhook['format']

/** Fields of an event that a message in a channel shows, and characters of each. */
const maxFacts = 12
const maxValueLength = 300

/**
 * The body that a receiver of this format gets. Channels show texts: the type of the event, and the fields of its data.
 *
 * @param body a message of Standard Webhooks, as JSON
 */
export function formattedBody(format: WebhookFormat, body: string): string {
  if (format === 'standard') return body
  const { type, data } = asObject(parseJson(body)) ?? {}
  const title = typeof type === 'string' ? type : ''
  const facts = factsOf(data)
  return JSON.stringify(format === 'slack' ? slackMessage(title, facts) : teamsMessage(title, facts))
}

type Fact = readonly [name: string, value: string]

function factsOf(data: unknown): readonly Fact[] {
  return Object.entries(asObject(data) ?? {})
    .flatMap(([name, value]): Fact[] => (isPlain(value) ? [[name, oneLine(String(value))]] : []))
    .slice(0, maxFacts)
}

/** A name in an event, such as that of an end user, must not look like further lines of the message. */
function oneLine(text: string): string {
  return text.replace(/[\p{White_Space}\p{Cc}\p{Cf}]+/gu, ' ').slice(0, maxValueLength)
}

function isPlain(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean'
}

/** Slack reads these three characters as markup: a name in an event must not become a link or a mention. */
function slackMessage(title: string, facts: readonly Fact[]) {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const lines = facts.map(([name, value]) => `${escaped(name)}: ${escaped(value)}`)
  return { text: [`*${escaped(title)}*`, ...lines].join('\n') }
}

/** An adaptive card, as workflows of Teams post it. A text run shows its text as it is. */
function teamsMessage(title: string, facts: readonly Fact[]) {
  const run = (text: string, weight: 'Bolder' | 'Default') => ({ type: 'TextRun', text, weight })
  const line = (inlines: readonly object[]) => ({ type: 'RichTextBlock', inlines })
  const lines = facts.map(([name, value]) => line([run(`${name}: `, 'Default'), run(value, 'Default')]))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [line([run(title, 'Bolder')]), ...lines],
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] }
}
