import { mainLedger, parseLedgerUrls } from './ledger-urls.ts'
import { migrate } from './migrate.ts'

/*
 * Migrates the database at DATABASE_URL and those of other ledgers, and exits. docker-compose.yml and deployments run it
 * before the services.
 */
const { DATABASE_URL, LEDGER_DATABASE_URLS: ledgers = '' } = process.env
if (DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set')
const others = ledgers === '' ? [] : parseLedgerUrls(ledgers, DATABASE_URL)

const say = (level: number, msg: string, fields: object) =>
  process.stdout.write(`${JSON.stringify({ level, time: Date.now(), name: 'migrate', msg, ...fields })}\n`)

const onInUse = (attempt: number) => say(40, 'a table is in use, retrying', { attempt })
for (const [ledger, url] of [[mainLedger, DATABASE_URL] as const, ...others]) {
  say(30, 'up to date', { ledger, applied: await migrate(url, { onInUse }) })
}
