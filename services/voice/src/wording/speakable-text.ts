/**
 * Text of a model as it is spoken: without markup, with addresses and common signs as words. What a synthesizer reads well by
 * itself, such as numbers and dates, stays as it is.
 *
 * @param language a BCP 47 tag; signs are spoken in English where the language has no row here
 */
export function speakableText(text: string, language: string): string {
  const spoken = names(language)
  return withoutMarkup(text)
    .replace(/\bhttps?:\/\/(?:www\.)?([^\s/?#]+)[^\s]*/gi, (_, host: string) => spelledAddress(host, spoken))
    .replace(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g, (address) => spelledAddress(address, spoken))
    .replace(/(?<=\d) ?%/g, ` ${spoken.percent}`)
    .replace(/ & /g, ` ${spoken.and} `)
    .replace(/\d{5,}/g, (digits) => [...digits].join(' '))
    .replace(/\p{Extended_Pictographic}|\u{fe0f}|\u{200d}/gu, '')
    .replace(/[ \t]{2,}/g, ' ')
    .trim()
}

interface SignNames {
  readonly dot: string
  readonly at: string
  readonly percent: string
  readonly and: string
}

const english: SignNames = { dot: 'dot', at: 'at', percent: 'percent', and: 'and' }
const namesOf: Readonly<Record<string, SignNames>> = {
  en: english,
  de: { dot: 'Punkt', at: 'at', percent: 'Prozent', and: 'und' },
  es: { dot: 'punto', at: 'arroba', percent: 'por ciento', and: 'y' },
  fr: { dot: 'point', at: 'arobase', percent: 'pour cent', and: 'et' },
}

function names(language: string): SignNames {
  return namesOf[language.split('-')[0]?.toLowerCase() ?? ''] ?? english
}

/** A full stop at the end is one of the sentence. */
function spelledAddress(address: string, { dot, at }: SignNames): string {
  const [, body = '', end = ''] = /^(.*?)([.,!?;:)]{0,3})$/.exec(address) ?? []
  return body.replaceAll('@', ` ${at} `).replaceAll('.', ` ${dot} `) + end
}

function withoutMarkup(text: string): string {
  return text
    .replace(/^\s{0,3}(?:#{1,6} |> |[-*+•] |\d{1,3}[.)] )/gm, '')
    .replace(/^\s*(?:[-*_] ?){3,}$/gm, '')
    .replace(/!?\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g, '$1')
    .replace(/`{1,3}/g, '')
    .replace(/\*{1,3}(?=\S)|(?<=\S)\*{1,3}/g, '')
    .replace(/(?<![\p{L}\p{N}])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\p{L}\p{N}])/gu, '')
    .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, '')
    .replace(/\|/g, ' ')
}
