import { connectPool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { choose } from '../workspace-with.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { percentile } from './load.ts'

const dashes = '-'.repeat(5)

/** Beginnings of matches of redaction rules that never end. */
const beginnings: readonly string[] = [
  `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n`,
  `${dashes}BEGIN PRIVATE KEY${dashes} ${'aB3'.repeat(9)} `,
  'eyJhbGciOiJIUzI1NiJ9.',
  'password="',
  'password   :   ',
  'sk-a1-',
  'Authorization: Bearer ',
  'postgres://u:p@',
  'AKIA2345672345672345 ',
  'q83vEjRWeJq/+z0Kc3',
  '\\\\\\"a\\\\\\",\\"b\\",',
  'token=%41&quot;',
  'A',
  '\ud800a',
]
const ordinary = 'The committee met on Tuesday; it asked for a token of thanks, and 12 of 40 members voted: no.\n'
const texts = 14
/** Maximum time until a text is logged; superlinear time would be more than ten times this. */
const maxMs = 1_000
/** Size of one text: with the rest of its exchange just below the maximum of 512 KB. */
const jsonBytes = 400_000

describeFault(
  {
    id: 'F32',
    title: 'texts that are designed to be slow to redact',
    promise: 'each is logged within a second, and concurrent chats are not delayed',
    fleet: { workspace: { balanceUsd: '1000.00' } },
  },
  (fault) => {
    it('are logged as quickly as other texts, without delaying chats', async () => {
      await choose(fault.fleet, fault.fleet.workspace, { loggingEnabled: true })
      const calm = await logAll(
        fault,
        Array.from({ length: texts }, () => textOf(ordinary)),
      )
      const underFault = await logAll(
        fault,
        Array.from({ length: texts }, (_, index) => hostileText(fault, index)),
      )
      fault.note(`${texts} ordinary texts logged after, ms`, Math.round(calm.loggedMs))
      fault.note(`${texts} hostile texts logged after, ms`, Math.round(underFault.loggedMs))
      fault.note('chats beside ordinary ones, median ms', Math.round(median(calm.beside)))
      fault.note('chats beside hostile ones, median ms', Math.round(median(underFault.beside)))
      expect(
        new Set([...calm.asked, ...underFault.asked, ...calm.beside, ...underFault.beside].map(({ status }) => status)),
      ).toEqual(new Set([200]))
      expect(underFault.loggedMs).toBeLessThan(texts * maxMs)
      expect(median(underFault.asked)).toBeLessThan(3 * median(calm.asked) + 100)
      expect(median(underFault.beside)).toBeLessThan(3 * median(calm.beside) + 50)
      const { loggingWorker } = fault.fleet
      expect(loggingWorker.log.filter((line) => /redaction/i.test(line))).toEqual([])
    }, 90_000)
  },
)

interface Logged {
  readonly asked: readonly Asked[]
  readonly beside: readonly Asked[]
  /** Time from the last answer until everything is in the log, milliseconds. */
  readonly loggedMs: number
}

async function logAll(fault: Fault, contents: readonly string[]): Promise<Logged> {
  const { fleet } = fault
  const tag = `text-${Math.floor(1e9 * fault.random())}`
  const asked: Asked[] = []
  let loggedMs = 0
  const beside = await fault.askDuring({ model: 'sim/small', headers: { 'x-svc-log': 'off' } }, async () => {
    for (const content of contents) {
      asked.push(await fault.ask({ model: 'sim/small', content, headers: { 'x-svc-tag': tag } }))
    }
    const answeredAt = performance.now()
    await eventually(async () => expect(await loggedWith(fleet, tag)).toBe(contents.length), {
      withinMs: 45_000,
      everyMs: 50,
    })
    loggedMs = performance.now() - answeredAt
  })
  return { asked, beside, loggedMs }
}

/** Number of exchanges with this tag in the log. */
async function loggedWith({ databaseUrl }: Fault['fleet'], tag: string): Promise<number> {
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM exchange WHERE tag = $1', [tag])
    return Number(rows[0]?.count)
  } finally {
    await pool.end()
  }
}

/** One beginning repeated, or several alternating. */
function hostileText({ random }: Fault, index: number): string {
  const choose = () => beginnings[Math.floor(random() * beginnings.length)] ?? ''
  const first = beginnings[index % beginnings.length] ?? ''
  if (random() < 0.5) return textOf(first)
  return textOf(first.repeat(1 + Math.floor(5 * random())) + choose() + choose().repeat(1 + Math.floor(20 * random())))
}

/** A text whose JSON, with escapes, has the maximum size. */
function textOf(piece: string): string {
  const pieces = Math.floor(jsonBytes / (JSON.stringify(piece).length - 2))
  return piece.repeat(pieces)
}

function median(answers: readonly Asked[]): number {
  return percentile(answers, 0.5)
}
