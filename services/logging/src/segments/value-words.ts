import { AUXILIARIES, SUBJECTS } from './function-words.ts'
import { ANSWER_VERBS } from './lexicon.ts'

/*
 * Words by which a value in the midst of instructions is told from a word that makes another application. A change here lets
 * new prompts join other families; stored families keep their ids.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** A word after one of these is what an instruction is about, not what it asks for. */
export const PREPOSITIONS = words(`
  of for about to from in into on at by with without within per between against near around through because as like
  after before during since under over via than behind along across towards toward
  für über zu zum zur von vom aus durch mit ohne wegen gegen bei beim im in ins am an auf unter nach vor als um
  pour sur de du des d' à au aux avec sans en dans par contre chez vers comme entre sous
  para sobre de del a al con sin en por contra cerca como entre desde hacia
  per su sul sulla di del della dei da dal con senza in nel nella contro come tra fra
  sobre do da dos das em no na nos nas com sem por pelo pela contra como entre
  voor over van aan naar met zonder in op bij tegen als tussen
  dla o do z ze od w we na przy bez przez przeciw jako między
  для о об от из с со к ко в во на по при без через против между у за
  في من إلى على عن مع عند بين ضد حول`)

/** A value begins with its article, because others like it may have none. */
export const VALUE_ARTICLES = words(`
  a an the un une des le la les l' el los las una uno ein eine einen einem einer der die das den dem o os um uma il lo gli i
  het een`)

/** Words that join two nouns to one. */
export const GENITIVES = words('of de du des d di del della da do')

/** Words that link others, and may stand inside a value of several words. */
export const LINKING_WORDS: ReadonlySet<string> = new Set([
  ...PREPOSITIONS,
  // A pronoun in Polish, and a number in English.
  ...[...SUBJECTS].filter((word) => word !== 'ten'),
  ...words(`
    and or but them us me him und oder aber einen einem einer eines et ou mais y e o pero ma en of maar i oraz lub ale
    и или но أو و`),
])

/** Words that change what an instruction means, whichever others stand beside them. */
export const FIXED_WORDS: ReadonlySet<string> = new Set([
  ...ANSWER_VERBS,
  ...AUXILIARIES,
  ...words(`
    not no never always only nothing none all every both each any neither first last more less most least
    nicht kein keine keinen nie niemals immer nur alle beide jede jeden
    ne pas jamais toujours seulement aucun aucune
    nunca siempre solo sólo ningún ninguna
    non mai sempre solo nessun
    não sempre apenas nenhum
    niet geen nooit altijd alleen
    nie nigdy zawsze tylko żaden
    не ни нет никогда всегда только ни
    لا لم لن ليس دائما فقط
    json yaml xml html csv markdown sql plain prose`),
])

/** {@link FIXED_WORDS} of Chinese and Japanese. */
export const FIXED_CHARACTERS = '请請不没沒未勿别別必须須'

/** {@link LINKING_WORDS} of Chinese and Japanese, which are hardly part of a name. */
export const LINKING_CHARACTERS = '的のをは是'

/** Beginnings of sentences that say who the model is. */
export const DEFINITIONS =
  /^(?:you(?:'re|’re| are)|act as|play the role|du bist|sie sind|tu es|vous êtes|eres|usted es|sei|lei è|você é|és|je bent|u bent|jesteś|pan jest|ты|вы|أنت|당신은|你 是|您 是|あ な た は)(?: |$)/

/** Ends of what stands before a verb in Chinese. */
export const BEFORE_VERBS = words('请 請 先 再 并 並 来 去 把 将 要 来 后 然后')

/** What follows the name of an owner, a person or a company in Japanese and Chinese. */
export const AFTER_NAMES = [
  '的',
  'の',
  '様',
  'さん',
  '先生',
  '氏',
  '君',
  '女士',
  '小姐',
  '银行',
  '銀行',
  '酒店',
  '旅館',
  'ホテル',
  '医院',
  '病院',
  'クリニック',
  '诊所',
  '药房',
  '公司',
  '会社',
  '店',
  '大学',
  '保险',
  '保険',
  '集团',
]

/** Beginnings of what makes a verb of the noun before it in Japanese. */
export const VERB_ENDINGS = [
  'し',
  'す',
  'せ',
  'て',
  'で く',
  'で 、',
  'く だ',
  'い て',
  'っ て',
  'ん で',
  'ま',
  'な い',
]
