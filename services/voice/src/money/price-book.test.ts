import { listedVoices } from '../voices/voice-list.ts'
import { createPriceBook, loadRates, Rate, shippedRatesDir } from './price-book.ts'

it('has a price for every listed voice, the one that the list shows', async () => {
  const prices = createPriceBook(await loadRates(shippedRatesDir), 2_000_000)
  for (const { id, provider, usd_per_1000_characters: shown } of listedVoices().voices) {
    const rates = prices.ratesOf({ voice: id, recognizer: provider, telephony: null })
    expect((rates?.synthesisNanoPerCharacter ?? 0) * 1_000).toBeCloseTo(shown * 1e9)
    expect(rates?.platform.nanoPerMinute).toBe(2_000_000)
  }
})

it('has none for a voice or a recognizer that nobody priced', async () => {
  const prices = createPriceBook(await loadRates(shippedRatesDir), 0)
  expect(prices.ratesOf({ voice: 'other/voice', recognizer: 'sim', telephony: null })).toBeNull()
  expect(prices.ratesOf({ voice: 'sim/readable', recognizer: 'other', telephony: null })).toBeNull()
})

it('prefers the price of a voice to that of its provider', () => {
  const rate = { kind: 'synthesis' as const, provider: 'acme' }
  const heard = { id: 'r', kind: 'recognition' as const, provider: 'acme', nano_per_minute: 1 }
  const rates = [
    heard,
    { id: 'a', ...rate, nano_per_character: 5 },
    { id: 'b', ...rate, voice: 'x/y', nano_per_character: 9 },
  ]
  const prices = createPriceBook(
    rates.map((each) => Rate.parse(each)),
    0,
  )
  const priceOf = (voice: string) =>
    prices.ratesOf({ voice, recognizer: 'acme', telephony: null })?.synthesisNanoPerCharacter
  expect([priceOf('acme/x/y'), priceOf('acme/z')]).toEqual([9, 5])
})
