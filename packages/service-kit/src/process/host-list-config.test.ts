import { loadConfig } from '@ratchet/service-kit/process/config'
import { z } from 'zod'
import { HostList } from './host-list-config.ts'

const schema = z.object({ HOSTS: HostList, PORT: z.coerce.number() })

it('reads a list; an empty variable is an empty list', () => {
  expect(loadConfig(schema, { HOSTS: 'vllm.internal, 10.0.0.7', PORT: '1' }).HOSTS).toEqual(
    new Set(['vllm.internal', '10.0.0.7']),
  )
  expect(loadConfig(schema, { PORT: '1' }).HOSTS).toEqual(new Set())
})

it('names the variable and the wrong entry, besides other problems', () => {
  const load = () => loadConfig(schema, { HOSTS: 'good.example,https://bad.example', PORT: 'x' })
  expect(load).toThrow(/not a host name: https:\/\/bad\.example[\s\S]*at HOSTS/)
  expect(load).toThrow(/at PORT/)
})
