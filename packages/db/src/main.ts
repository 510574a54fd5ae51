import { migrate } from './migrate.ts'

/* Brings the database at DATABASE_URL up to date and ends: the one-shot of docker-compose.yml and of a deployment. */
const { DATABASE_URL } = process.env
if (DATABASE_URL === undefined) throw new Error('DATABASE_URL is not set')

const applied = await migrate(DATABASE_URL)
process.stdout.write(
  `${JSON.stringify({ level: 30, time: Date.now(), name: 'migrate', msg: 'up to date', applied })}\n`,
)
