import { z } from 'zod'
import { httpServiceConfig, loadConfig } from './config.ts'

const Config = z.object({ ...httpServiceConfig, REQUIRED: z.string().min(1) })
const good = { PORT: '8080', DATABASE_URL: 'postgres://u:p@host/db', REQUIRED: 'x' }

it('reads the environment, with defaults for optional variables', () => {
  expect(loadConfig(Config, { ...good, UNRELATED: '1' })).toEqual({
    PORT: 8080,
    HOST: '0.0.0.0',
    DATABASE_URL: 'postgres://u:p@host/db',
    LOG_LEVEL: 'info',
    DRAIN_DELAY_MS: 10_000,
    DRAIN_TIMEOUT_MS: 600_000,
    REQUIRED: 'x',
  })
})

it('lists all problems, each with its variable', () => {
  const bad = { PORT: '70000', DATABASE_URL: 'mysql://host/db', LOG_LEVEL: 'loud' }

  const failure = () => loadConfig(Config, bad)

  expect(failure).toThrow(/^Invalid environment:\n/)
  for (const name of ['PORT', 'DATABASE_URL', 'LOG_LEVEL', 'REQUIRED']) expect(failure).toThrow(`at ${name}`)
})

it('does not print refused values, which may be secrets', () => {
  const bad = { ...good, DATABASE_URL: 'mysql://u:hush@host/db' }

  expect(() => loadConfig(Config, bad)).toThrow(/^(?!.*hush)/s)
})

it('treats an empty variable as absent', () => {
  expect(loadConfig(Config, { ...good, HOST: '', ADMIN_PORT: '' })).toEqual(loadConfig(Config, good))
  expect(() => loadConfig(Config, { ...good, REQUIRED: '' })).toThrow('at REQUIRED')
})

it.each(['', 'abc', '-1', '8080.5'])('refuses the port %j', (PORT) => {
  expect(() => loadConfig(Config, { ...good, PORT })).toThrow('at PORT')
})
