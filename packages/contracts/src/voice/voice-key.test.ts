import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { mintApiKey } from '../api-key.ts'
import { mintVoiceKey, voiceEnvironments, voiceKeyEnvironment } from './voice-key.ts'

it.each(voiceEnvironments)('makes keys of the environment %s, and knows them', (env) => {
  const key = mintVoiceKey(env, randomBytes)
  expect(key).toMatch(new RegExp(`^ck_${env}_[0-9A-Za-z]{38}$`))
  expect(voiceKeyEnvironment(key)).toBe(env)
})

it('knows no key with another character, of the gateway, or of another environment', () => {
  const key = mintVoiceKey('live', randomBytes)
  fc.assert(
    fc.property(fc.nat({ max: key.length - 1 }), fc.constantFrom(...'0aZ_- é'), (at, other) => {
      fc.pre(key[at] !== other)
      expect(voiceKeyEnvironment(key.slice(0, at) + other + key.slice(at + 1))).toBeNull()
    }),
  )
  expect(voiceKeyEnvironment(key.replace('live', 'test'))).toBeNull()
  expect(voiceKeyEnvironment(mintApiKey('sk_svc_', randomBytes))).toBeNull()
  expect(voiceKeyEnvironment('')).toBeNull()
})
