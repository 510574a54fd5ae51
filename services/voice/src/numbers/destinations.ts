import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** Kinds of numbers that may be called. Others cost whoever calls them more, or reach no person. */
const callable: ReadonlySet<string> = new Set(['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE', 'VOIP', 'TOLL_FREE'])

/** The country of a number, such as `DE`; null for numbers of no country, such as those of satellites. */
export function countryOf(e164: string): string | null {
  return parsed(e164)?.country ?? null
}

/**
 * Why a number may not be called, in plain words, or null when it may.
 *
 * @param allowedCountries such as `DE`
 */
export function destinationProblem(e164: string, allowedCountries: readonly string[]): string | null {
  const number = parsed(e164)
  if (number === null || !number.isValid()) return `${e164} is no telephone number that exists`
  const { country } = number
  if (country === undefined) return `${e164} belongs to no country, and such numbers are never called`
  const type = number.getType()
  if (type === undefined || !callable.has(type))
    return `${e164} is a number with an extra charge, and such are never called`
  if (!allowedCountries.includes(country)) return `the number may not call ${country}; see its \`allowed_countries\``
  return null
}

/** Shorter ones are extensions, which belong to whoever is addressed. */
const fewestDigits = 7

/**
 * The telephone number that a SIP address calls, such as `+493012345678` of `sip:+49-30-12345678@trunk.example`; null for an
 * address of a name or an extension. Carriers dial what stands before the host.
 */
export function numberInAddress(address: string): string | null {
  const [, user = ''] = /^sips?:([^@;]*)/.exec(address) ?? []
  const dialled = decoded(user).replace(/[-.()\s]/g, '')
  const [, digits] = /^(?:\+|00)?(\d+)$/.exec(dialled) ?? []
  return digits === undefined || digits.length < fewestDigits ? null : `+${digits}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parsed(e164: string): PhoneNumber | null {
  return parsePhoneNumberFromString(e164) ?? null
}
