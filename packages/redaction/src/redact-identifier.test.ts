import { redactIdentifier } from './redact-identifier.ts'

it.each(['support', 'customer-0001-production', 'a b', '', '4bf92f3577b34da6a3ce929d0e0e4736'])('keeps %j', (name) => {
  expect(redactIdentifier(name)).toBe(name)
})

it.each([
  ['sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78St90', '[redacted]'],
  ['of ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'of [redacted]'],
  ['https://admin:correcthorse@example.com/', 'https://admin:[redacted]@example.com/'],
])('replaces keys of a known form: %j', (name, clean) => {
  expect(redactIdentifier(name)).toBe(clean)
})
