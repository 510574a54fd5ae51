/*
 * Words of closed classes by which statements are told from instructions, and words that point to an inserted text. A
 * change here lets new prompts join other families; stored families keep their ids.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Finite forms of auxiliary verbs. A sentence with one of them beyond its first word states something. */
export const AUXILIARIES = words(`
  is are was were am has had isn't aren't wasn't weren't hasn't will would can could may might did does been there's
  went came took gave made got said told brought left found paid bought sent wrote
  ist sind war waren wurde wurden hat hatte hatten haben wird werden kann können darf soll muss läuft
  est sont était étaient sera seront ont avait peut peuvent
  es son está están fue fueron era han había puede pueden será
  è sono era erano può possono sarà
  é são está estão foi foram tem têm pode podem será
  zijn waren heeft hebben wordt werden kan kunnen mag
  jest są był była było były będzie ma mają może mogą został została zostały`)

/** Articles, possessives and pronouns of the first and third person, which no instruction begins with. */
export const SUBJECTS = words(`
  the a an this that these those there it its each every all some any most many my our i we he she they his her their
  nobody somebody everybody nothing something everything none people yesterday i'm i've we've we're it's
  nichts etwas jemand der die das dieser diese dieses ein eine mein meine unser unsere ich wir er es man niemand jeder jede alle
  le la les un une l ce cet cette ces mon ma mes notre nos je nous il elle ils elles on tous toutes personne rien quelqu'un
  el los las una este esta estos mi mis nuestro nuestra yo él ella ellos todos nadie nada alguien ningún
  il lo gli uno questo questa mio mia nostro nostra io lui lei loro tutti nessuno niente qualcuno mi ci si
  o os as um uma este esta meu minha nosso nossa eu ele ela eles todos ninguém nada alguém
  de het een deze dit mijn ons onze ik wij hij zij niemand
  ten ta to ci te mój moja nasz nasza ja my on ona oni nikt nic ktoś coś
  я мы он она оно они этот эта это эти мой моя моё наш наша наше никто ничего`)

/** Articles and other words before a noun in English. */
export const ARTICLES = words('the a an this these those each every all both his her their my our its your any')

/** Words at the beginning of an English clause that are no verbs. */
export const CONJUNCTIONS = words(`
  if when while although though because unless until whether once that what which who whom whose where why how and but or
  so then also not even for of about to from into by with without under over between among against through as like than
  per via within along across such only just maybe perhaps here despite during rather instead both half`)

/** Prepositions and adverbs of time and place, with which statements begin more often than instructions. */
export const ADVERBIALS = words(`
  since at on in near behind during after before inside outside yesterday today tomorrow now there
  seit seitdem am im in an auf bei nach vor hinter neben unter über während gestern heute morgen leider inzwischen dort
  depuis dans chez après avant pendant hier aujourd'hui demain en sur sous à au aux
  desde en tras durante ayer hoy mañana después antes
  da dal nel nella dopo durante ieri oggi domani
  desde no na após durante ontem hoje amanhã
  sinds op bij na voor tijdens gisteren vandaag morgen
  od w we na po przed podczas wczoraj dziś jutro
  в во на после до вчера сегодня`)

/** Words that address the model in the second person, at any position. */
export const SECOND_PERSON = words(`
  you your you're you’re yours yourself assistant chatbot bot ai
  dein deine deinen deiner dich dir sie ihr ihre
  vous votre vos tu ton toi te usted tú eres você tua teu sei u uw jij je jouw bent ty twój jesteś`)

/** {@link SECOND_PERSON} of languages without spaces, at the beginning of a word. */
export const SECOND_PERSON_CJK = ['你', '您', 'あなた']

/** Words by which instructions refer to a text that stands elsewhere in the prompt. */
export const DEICTICS = words(`
  below above following beneath unten oben untenstehende untenstehenden obige obigen folgende folgenden folgender
  folgendes nachstehende nachstehenden ci-dessous ci-dessus suivant suivante suivants suivantes
  abajo arriba siguiente siguientes anterior sotto sopra seguente seguenti abaixo acima seguinte seguintes
  onderstaande bovenstaande volgende hieronder hierboven poniżej powyżej poniższy poniższą poniższego następujący
  ниже выше следующий следующее следующую следующие التالي التالية التالى أدناه أعلاه السابق 다음 아래 위의`)

/** Words after `below` or `following` where these refer to no text: `below one hundred words`, `the following in mind`. */
export const NOT_POINTED = words(`
  all in to and or for zero one two three four five six seven eight nine ten twelve fifteen twenty thirty forty fifty sixty
  eighty hundred average freezing`)

/** {@link DEICTICS} of languages without spaces. */
export const DEICTICS_CJK = ['以下', '下面', '下記', '上記', '上面', '次の', '下列']

/** Ends of statements in Japanese and Chinese. */
export const STATEMENT_ENDS_CJK = [
  'です',
  'ます',
  'ました',
  'ません',
  'でした',
  'した',
  'った',
  'いる',
  '了',
  '的',
  '过',
]

/** Nouns of instructions. A statement about one of them, such as `The tone is formal.`, may be an instruction. */
export const INSTRUCTION_NOUNS = words(`
  task tasks goal role instruction instructions output outputs format rule rules style tone language voice constraint
  constraints guideline guidelines policy policies requirement requirements label labels category categories class
  classes option options field fields criterion criteria schema scale verdict rubric persona principles workflow
  checklist structure json
  aufgabe rolle regel regeln format stil ton sprache anweisung anweisungen ausgabe kategorien antworten vorgaben
  tâche rôle règle règles consigne consignes style ton langue tarea regla reglas instrucciones estilo tono idioma
  formato compito regole stile tarefa regras taak regels stijl toon taal zadanie zasady styl ton język`)

/** Names of what the model answers. */
export const REPLIES = words(`
  answer answers response responses reply replies summary summaries citation citations sentence sentences bullet bullets
  json yaml xml markdown verdict antwort antworten réponse réponses respuesta respuestas resposta respostas risposta
  risposte antwoord antwoorden odpowiedź odpowiedzi`)

/** Prepositions after the name of an inserted text in its heading: `Notes of …:`. */
export const OF = words(
  'of for about from on von zu für über aus de du des sur del sobre di da do van over voor o z dla',
)
