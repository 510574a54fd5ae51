import { createEvalPreference, type EvalComparison, nextToCompare } from '@ratchet/contracts/eval-preferences'
import type { Answer } from '../answer.ts'
import type { Api } from '../api/api-client.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'
import type { Keys } from '../cli-io.ts'
import { conversationText } from '../text/message-text.ts'
import { parseEvalId } from './eval-id.ts'

interface Options {
  readonly candidate?: string
  readonly limit: string
}

/** `ratchet eval compare`: a person compares answers blind, with one key each. */
export function compareAnswers({ group, run }: ApiCommands): void {
  group
    .command('compare')
    .description(
      'Compare answers of an eval with one key each, without names and verdicts. In the order of the draw this is evidence for an alias.',
    )
    .argument('<id>', 'the eval', parseEvalId)
    .option('--candidate <model>', 'the candidate, if the eval has several')
    .option('--limit <count>', 'maximum number', parsePageLimit, '200')
    .action((id: string, options: Options) => run((deps) => work(deps, id, options)))
}

/** The most that the API lists at a time. */
const pageSize = 20
const keyHelp = '[1] the first  [2] the second  [0] neither  [q]uit'
const meanings = { '1': 'first', '2': 'second', '0': 'tie' } as const

type Preference = (typeof meanings)[keyof typeof meanings]

async function work({ io, connect }: ApiDeps, id: string, { candidate, limit }: Options): Promise<Answer> {
  const api = await connect()
  const keys = io.keys()
  const own = candidate === undefined ? {} : { candidate }
  const next = async (count: number) =>
    (await api.call(nextToCompare, { params: { id }, query: { ...own, count: String(count) } })).value
  let made = 0
  try {
    for (let isOver = false; !isOver && made < Number(limit); ) {
      const { data } = await next(Math.min(pageSize, Number(limit) - made))
      isOver = data.length === 0
      for (const each of data.slice(0, Number(limit) - made)) {
        io.stderr(comparisonText(each, `${made + 1} of at most ${limit}`))
        const preference = await askFor(keys, io.stderr)
        isOver = preference === null
        if (preference === null) break
        await save(api, each, { ...own, preference })
        made += 1
      }
    }
  } finally {
    keys.close()
  }
  const { compared, total } = await next(1)
  return {
    json: { eval_id: id, made, compared, total },
    text: `compared ${made}; ${compared} of ${total} samples count as evidence so far`,
    note: `\`ratchet eval watch ${id}\` says what they prove.`,
  }
}

function comparisonText({ prompt, first, second }: EvalComparison, place: string): string {
  const line = '─'.repeat(60)
  const answer = ({ text, tool_calls }: EvalComparison['first']) =>
    conversationText([{ role: 'assistant', content: text, ...(tool_calls === null ? {} : { tool_calls }) }])
  const answers = `FIRST\n${answer(first)}\n\nSECOND\n${answer(second)}`
  return `${line}\n${place}\n${conversationText(prompt.messages)}\n\n${answers}\n`
}

/** Asks until a known key is pressed. Null when the person ends. */
async function askFor(keys: Keys, say: (text: string) => void): Promise<Preference | null> {
  for (;;) {
    say(`${keyHelp}: `)
    const key = (await keys.next())?.toLowerCase() ?? 'q'
    if (key === 'q') {
      say('\n')
      return null
    }
    if (isMeant(key)) {
      say(`${meanings[key]}\n`)
      return meanings[key]
    }
    say('?\n')
  }
}

function isMeant(key: string): key is keyof typeof meanings {
  return Object.hasOwn(meanings, key)
}

async function save(
  api: Api,
  { eval_id: id, sample_id }: EvalComparison,
  body: { readonly preference: Preference; readonly candidate?: string },
): Promise<void> {
  await api.call(createEvalPreference, { params: { id, sample_id }, body: { ...body, blind: true } })
}
