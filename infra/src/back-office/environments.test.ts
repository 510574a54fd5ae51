import { environmentsVariable, readEnvironments } from './environments.ts'

it('finds the environment of a service', () => {
  const env = { [environmentsVariable]: JSON.stringify({ eval: { PORT: '8086' } }), PORT: '1' }
  const environments = readEnvironments(env)
  expect([environments.get('eval'), environments.get('alias')]).toEqual([{ PORT: '8086' }, undefined])
})

it.each([[{}], [{ [environmentsVariable]: '{"eval":1}' }]])('refuses %j', (env) => {
  expect(() => readEnvironments(env)).toThrow()
})
