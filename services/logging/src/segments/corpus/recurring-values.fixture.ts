import type { Values } from './values.fixture.ts'

/** Short lists, so that each value recurs within 45 prompts. */
const PEOPLE =
  'Anna Schmidt,Jonas Weber,Lena Fischer,Mehmet Yılmaz,Sophie Müller,Paul Krüger,María López,Jean Dupont,Wei Zhang,Priya Nair,Tom O’Brien,Fatima Al-Sayed,Olga Petrova,Kenji Sato'
const COMPANIES =
  'Nordwind GmbH,Acme,Globex,Initech,Sparkasse Köln,Hotel Adler,Zalora,Blue Bottle,Kaufland,Mistral Energie,Iberia Seguros,Orange Telecom'
const TOWNS = 'Berlin,München,Paris,Madrid,Lyon,Hamburg,Köln,Wien,Zürich,Toulouse,Sevilla,Lille'
const PRODUCTS =
  'Router X200,CloudSync Pro,the Aurora lamp,Model S bicycle,FitTrack 3,QuickBooks export,the Nimbus plan'
const FACTS = [
  'The customer called twice about the bill.',
  'Shipping is free above 50 euros.',
  'Returns are accepted within 30 days.',
  'The device must be restarted after an update.',
  'Our office is closed on Sundays.',
  'Interest is paid each quarter.',
  'Refunds take five days.',
  'The warranty covers parts but not labour.',
  'Guests may check in from 3 pm.',
  'A deposit of 20 % is due at booking.',
]

const from = (list: string) => {
  const items = list.split(',')
  return (v: Values) => v.pick(items)
}

export const person = from(PEOPLE)
export const company = from(COMPANIES)
export const town = from(TOWNS)
export const product = from(PRODUCTS)
export const fact = (v: Values) => v.pick(FACTS)
export const paragraph = (v: Values) => v.many(1, 6, () => fact(v), ' ')
export const givenName = (v: Values) => person(v).split(' ')[0] ?? ''
export const surname = (v: Values) => person(v).split(' ')[1] ?? ''
/** One of `options`, which are separated by commas. */
export const one = (v: Values, options: string) => v.pick(options.split(','))
/** 28.3.2025 */
export const dottedDate = (v: Values) => `${v.int(1, 28)}.${v.int(1, 12)}.202${v.int(4, 6)}`
/** 2025-03-28 */
export const isoDate = (v: Values) =>
  `202${v.int(4, 6)}-${String(v.int(1, 12)).padStart(2, '0')}-${String(v.int(1, 28)).padStart(2, '0')}`
