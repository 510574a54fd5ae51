/*
 * Words by which prompts are recognized as one application although their skeletons differ. A change here lets new
 * prompts join other families; stored families keep their ids.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Further names of inserted text, each of which opens a region of it. */
export const TEXT_NOUNS = words(`
  chapter chapters section lesson schema tables table database lyrics letter signature subtitles minutes clause clauses
  quote quotes recipe recipes snapshot dump spec example examples sample samples shots demonstrations beispiele beispiel
  exemples exemple ejemplos ejemplo auszüge auszug extraits kapitel tabellen datenbank chapitre capítulo`)

/** Names of the answers to choose from. Their list belongs to the task. */
export const CHOICE_NOUNS = words(`
  intents intent topics topic tags tag emotions emotion sentiments sentiment departments department teams queues
  priorities priority severities grades scores actions action choices choice answers outcomes statuses languages
  kategorien klassen optionen catégories étiquettes categorías etiquetas`)

/** First words of instructions, beside those of English. */
export const IMPERATIVES = words(`
  achte antworte beachte begründe beginne beende bewerte biete bitte bleib bleibe formuliere frag frage gib halte
  hilf ignoriere korrigiere liste markiere mach nenne nutze ordne prüfe rate sag sage schlag schlage schreib schreibe
  sei setze sprich stelle stütze übernimm vermeide verrate versprich verweise verwende weise zeige zitiere erfinde
  erkläre fülle lehne leite nimm suche wähle wandle lass lasse
  ajoute cite choisis classe commence corrige décris demande donne écris évite explique extrais fais garde identifie
  indique invente limite mentionne ne n'invente n'écris n'oublie n'utilise parle pose propose rédige refuse renvoie
  réponds respecte reste résume signale sois termine traduis utilise vérifie
  no nunca siempre contesta da di escribe evita explica indica incluye menciona pregunta propone sé sugiere usa haz
  non rispondi scrivi usa evita indica proponi sii spiega não nunca sempre escreva evite explique indique use seja
  praise wait delegate hand prefer preserve keep speak never pick report translate describe estimate decide label
  localize cite suggest recommend mark pull answer stop help transfer sign look round repeat sound confirm`)

/** Endings of first words in the polite imperative of French. */
export const POLITE_FRENCH = /^(?:n['’])?\p{L}{2,}ez$/u

/** Endings of instructions in Japanese and Chinese, where words are not separated. */
export const CJK_INSTRUCTIONS = [
  'ください',
  '下さい',
  'なさい',
  'いけません',
  'しないこと',
  'すること',
  '请',
  '不要',
  '必须',
]

/** Names of languages, which vary in prompts of translators. */
export const LANGUAGES = words(`
  english french german spanish italian portuguese dutch polish russian ukrainian turkish arabic hebrew hindi chinese
  mandarin cantonese japanese korean vietnamese thai greek swedish norwegian danish finnish czech hungarian romanian
  indonesian latin catalan bulgarian croatian serbian persian bengali tamil urdu swahili slovak slovenian estonian
  latvian lithuanian icelandic irish malay filipino brazilian
  deutsch deutsche deutschen englisch englische englischen französisch französische französischen spanisch spanische
  spanischen italienisch italienische italienischen polnisch polnische polnischen türkisch türkische türkischen
  russisch russische russischen niederländisch niederländische niederländischen japanisch japanische japanischen
  chinesisch chinesische chinesischen portugiesisch portugiesische portugiesischen
  français l'anglais anglais l'allemand allemand l'espagnol espagnol l'italien italien portugais néerlandais polonais
  japonais chinois russe inglés francés alemán español italiano portugués`)

/** Beginnings of words about translating. */
export const TRANSLATING =
  /^(?:translat|interpret|locali[sz]|übersetz|dolmetsch|tradu|tradui|language|sprach|langue|idioma)/
