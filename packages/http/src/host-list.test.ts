import { parseHostList } from './host-list.ts'

it('reads names and addresses in the form that URLs have', () => {
  expect([...parseHostList(' vLLM.svc.cluster.local, 10.0.0.7,fd00::7 ,')]).toEqual([
    'vllm.svc.cluster.local',
    '10.0.0.7',
    'fd00::7',
  ])
})

it.each(['https://a.example', 'a.example:8443', 'a.example/v1', '*.example', '0x7f.1', 'a b', '[::1]'])(
  'refuses what is more, or less, than a host: %s',
  (entry) => {
    expect(() => parseHostList(`good.example,${entry}`)).toThrow(RangeError)
  },
)
