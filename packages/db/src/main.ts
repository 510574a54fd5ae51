import { migrate } from './migrate.ts'

/* Migrates the database at DATABASE_URL and exits. docker-compose.yml and deployments run it before the services. */
const { DATABASE_URL } = process.env
if (DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set')

const say = (level: number, msg: string, fields: object) =>
  process.stdout.write(`${JSON.stringify({ level, time: Date.now(), name: 'migrate', msg, ...fields })}\n`)

const onInUse = (attempt: number) => say(40, 'a table is in use, retrying', { attempt })
say(30, 'up to date', { applied: await migrate(DATABASE_URL, { onInUse }) })
