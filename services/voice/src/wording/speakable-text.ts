import { baseLanguage } from '@ratchet/contracts/voice/languages'

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
    .replace(/\S+/g, (word) => (mailAddress.test(word) ? spelledAddress(word, spoken) : word))
    .replace(/(?<=\d) ?%/g, ` ${spoken.percent}`)
    .replace(/ & /g, ` ${spoken.and} `)
    .replace(/\d{5,}/g, (digits) => [...digits].join(' '))
    .replace(/\p{Extended_Pictographic}|\u{fe0f}|\u{200d}/gu, '')
    .replace(/[ \t]{2,}/g, ' ')
    .trim()
}

const mailAddress = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}[.,!?;:)]{0,3}$/

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
  return namesOf[baseLanguage(language)] ?? english
}

/** A full stop at the end is one of the sentence. */
function spelledAddress(address: string, { dot, at }: SignNames): string {
  const [, body = '', end = ''] = /^(.*?)([.,!?;:)]{0,3})$/.exec(address) ?? []
  return body.replaceAll('@', ` ${at} `).replaceAll('.', ` ${dot} `) + end
}

/** `[text](address)` as its text. */
function withoutLinks(text: string): string {
  let spoken = ''
  let from = 0
  for (let middle = text.indexOf(']('); middle >= 0; middle = text.indexOf('](', middle + 1)) {
    const open = text.slice(from, middle).lastIndexOf('[')
    const close = text.indexOf(')', middle)
    if (open < 0 || close < 0) continue
    spoken += text.slice(from, from + open).replace(/!$/, '') + text.slice(from + open + 1, middle)
    from = close + 1
    middle = close
  }
  return spoken + text.slice(from)
}

function withoutMarkup(text: string): string {
  return withoutLinks(text)
    .replace(/^\s{0,3}(?:#{1,6} |> |[-*+•] |\d{1,3}[.)] )/gm, '')
    .replace(/^[ \t]{0,3}(?:[-*_] ?){3,80}$/gm, '')
    .replace(/`{1,3}/g, '')
    .replace(/\*{1,3}(?=\S)|(?<=\S)\*{1,3}/g, '')
    .replace(/(?<![\p{L}\p{N}])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\p{L}\p{N}])/gu, '')
    .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, '')
    .replace(/\|/g, ' ')
}
