/*
 * The words by which the miner separates the task of a prompt from inserted text. Families of stored exchanges depend on
 * them: a change here founds new families for old templates.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Verbs of tasks. A sentence of three words or more that begins with one ends inserted text. */
export const ANSWER_VERBS = words(`
  answer respond reply summarize summarise classify categorize categorise translate extract paraphrase rewrite cite
  beantworte beantworten antworte antworten übersetze fasse klassifiziere extrahiere
  réponds répondez traduis traduisez résume résumez classe extrais
  responde responda traduce traduza resume resuma clasifica extrae rispondi traduci riassumi`)

/** Words that begin an instruction. With a capital they begin a sentence even without a full stop before them. */
export const STARTERS = words(`
  use do don't don’t never always only if when be keep write return provide give make ensure remember avoid think
  explain you your you're please now based given include list identify generate create check rate score evaluate
  compare decide choose pick start begin follow stay speak act call ask offer help focus prefer format quote mention
  refuse treat let note describe determine analyze analyse review find fix read limit say state tell mark report
  escalate refer base assign label detect convert produce consider suggest propose refactor debug implement plan
  match fill complete greet verify judge grade critique recommend draft compose output point stop route tag split
  merge sort rank infer predict estimate calculate compute solve prove search select show solely
  du sie verwende nutze schreibe gib vous tu utilise utilisez usa utiliza eres você`)

/** Words that address the model, at any position. */
export const ADDRESS = words(`
  you your you're you’re yours yourself assistant chatbot bot ai model must should shall cannot need needs
  du dein deine sie ihr vous votre tu ton usted eres você`)

/** Words about the reply. An instruction inside inserted text counts only when it contains one of them. */
export const REPLY_NOUNS = words(`
  answer context response json above passages excerpts excerpt transcript summary citation citations sentence
  sentences bullet bullets markdown tone concise concisely politely output assistant ai yaml xml verdict
  antwort kontext réponse contexte respuesta contexto resposta`)

/** Names of inserted text. A heading that ends in one of them opens inserted text. */
export const DATA_NOUNS = words(`
  context contexts document documents doc docs passage passages source sources article articles transcript ticket
  tickets email emails mail conversation history message messages profile knowledge base results result excerpt
  excerpts content contents text texts input inputs data record records file files code snippet snippets diff catalog
  catalogue order orders log logs facts notes background question questions query said customer user details
  human assistant agent student learner reader applicant application employee prospect lead issue map tree listing
  directory attendees participants information info memory memories letter review reviews comment comments report paper abstract contract invoice
  resume cv page pages chunk chunks paragraph paragraphs chat dialogue thread post story answer answers submission
  feedback complaint complaints request requests announcement announcements posts minutes timeline clause clauses essay statement reply response handbook manual guide faq wiki specification terms metadata account inventory menu schedule events patient candidate
  kontext dokument dokumente text texte quelle quellen frage contexte documents source sources
  vertrag nachricht verlauf eingabe artikel kunde profil contrat courriel historique extrait profil
  contexto documento documentos fuentes pregunta contrato correo mensaje historial entrada perfil artículo
  contesto documenti domanda messaggio contratto fontes pergunta mensagem artigo`)

/** Names of inserted text in languages without spaces, which are searched inside a heading. */
export const DATA_NOUNS_CJK = ['上下文', '文档', '文件', '资料', '内容', 'コンテキスト', '文書', '資料', '本文']

/** Words after which a list belongs to the task, not to the data. */
export const TASK_NOUNS = words(`
  task tasks goal goals role instruction instructions objective objectives output outputs format rules rule note
  important warning example examples step steps style tone constraint constraints guideline guidelines policy policies
  requirement requirements label labels category categories class classes option options field fields criterion
  criteria schema tools tool key keys scale levels level properties into as using by for about response reply remember
  verdict rubric types type persona principles workflow process checklist structure json values
  aufgabe regeln format anweisungen ausgabe tâche règles consignes tarea reglas instrucciones tarefa regras`)

/** Headings that end inserted text. */
export const CLOSING_HEADINGS = words(`
  instruction instructions task tasks guidelines output format requirements constraints rules
  anweisungen aufgabe regeln consignes règles instrucciones reglas`)

/** Words by which a heading refers to the text after it. */
export const POINTERS = words(`
  following below here here's this these provided given retrieved relevant folgende folgenden folgender
  suivant suivante suivants siguiente siguientes seguinte`)

/** Tags whose content is inserted text. */
export const DATA_TAGS = words(`
  context contexts document documents doc docs passage passages source sources article articles transcript ticket
  tickets email emails conversation history message messages profile user_profile userprofile user_info userinfo user
  customer knowledge knowledge_base results result search_results search_result retrieved_documents excerpt excerpts
  content contents text input inputs data record records file files code snippet diff question query memory memories
  chat_history chunk chunks page pages catalog log logs facts notes background order orders submission essay answer
  student_answer candidate_answer response faq faqs material materials kb corpus handbook manual wiki thread posts post
  comments comment listing repo retrieved metadata contract invoice resume letter review reviews environment`)

/** Tags whose content is the task. */
export const TASK_TAGS = words(`
  instructions instruction task role rules rule guidelines guideline output output_format format constraints persona
  system steps step tone objective goal policy policies tools tool thinking example examples prompt requirements
  rubric criteria schema identity behavior behaviour style capabilities`)

/** Subjects of sentences in a profile. */
export const PROFILE_NOUNS = words(`
  user user's user’s customer customer's customer’s client client's patient patient's employee candidate student member
  subscriber he she they his her their today today's today’s it's yesterday tomorrow time date`)

/** Verbs that follow a name at the beginning of a sentence about a person. */
export const PROFILE_VERBS = words(`
  is was has had wants likes loves hates prefers works lives needs enjoys speaks owns joined bought moved studies knows`)

/** Words at the beginning of a sentence that are not names. */
export const DETERMINERS = words(`
  the a an this that these those there it each every all some any most many no one here what which who how where both`)

/** Kinds of customers. */
export const TIERS = words(
  'gold silver platinum bronze premium basic standard free pro plus enterprise vip trial business',
)
export const TIER_NOUNS = words('customer user member subscriber plan account tier subscription membership')

/** Words before a name in German, where capitals do not show a name. */
export const GERMAN_NAME_CUES = words('firma herr frau heißt namens')

/** Words before a JSON value that describes the shape of the reply. */
export const REPLY_SHAPE = words(`
  return respond reply output format json schema structure keys fields like as shape example answer produce emit`)

/** Months and days, which belong to a date when they are capitalized. */
export const CALENDAR = words(`
  january february march april may june july august september october november december jan feb mar apr jun jul aug sep
  sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
  januar februar märz juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag`)

/** Months of languages that write them with a small letter, which belong to a date beside a number. */
export const SMALL_MONTHS = words(`
  janvier février mars avril mai juin juillet août septembre octobre novembre décembre
  enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
  gennaio febbraio aprile maggio giugno luglio settembre ottobre novembre dicembre
  janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
  januari februari maart april mei juni juli augustus augusti september oktober november december maj marts januar februar august
  stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
  ledna února března dubna května června července srpna září října listopadu prosince
  ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie
  ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
  января февраля марта апреля мая июня июля августа сентября октября ноября декабря
  січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня`)

/** Capitalized words that belong to the task: languages, formats, technologies, scripts. */
export const PROPER_TASKS = words(`
  english french german spanish italian portuguese dutch polish russian ukrainian turkish arabic hebrew hindi chinese
  mandarin cantonese japanese korean vietnamese thai greek swedish norwegian danish finnish czech hungarian romanian
  indonesian latin catalan bulgarian croatian serbian persian bengali tamil urdu swahili american british brazilian
  python java javascript typescript rust go golang ruby php kotlin swift scala haskell elixir perl bash powershell
  react vue angular svelte node django rails spring flutter docker kubernetes terraform ansible linux windows android
  ios postgres postgresql mysql sqlite mongodb redis kafka spark pandas numpy excel markdown json yaml xml html css
  sql graphql git github latex matlab fortran cobol solidity unity unreal i god internet web bible shakespeare
  shakespearean socratic python's ai jupyter figma wordpress salesforce sap aws azure`)

/** Abbreviations whose full stop does not end a sentence. */
export const ABBREVIATIONS = words('mr mrs ms m dr prof st e.g i.e vs fig approx jr sr')

/** Abbreviations that may end a sentence; it continues when a small letter follows. */
export const COMPANY_FORMS = words('inc ltd co corp llc gmbh etc u.s p.m a.m')

/** Words that distinguish English and German. German capitalizes every noun, so capitals do not show names there. */
export const ENGLISH = words('the you are is of and with your to in a for on that be')
export const GERMAN = words('der die das und ist ein eine einen du bist sie nicht für mit im auf den dem zu wenn auch')

/** Words of other languages of the same script, some of which have words in common with English or German (`du`, `das`, `is`). */
export const OTHER_LANGUAGES = words(`
  le la les et vous tu est une pour dans sur votre avec par qui aux es el los las y usted una para con por del tus su
  il gli lo di sei che non per della è o os você um uma seu não em dos het een je bent van voor niet op met uw og er på
  til ikke jeg som av och är inte att jesteś w na nie dla ce este si un nu pe`)

/** Words of which one at least stands in a sentence that says when a request was made. */
export const NOW = words(`
  today now date time heute jetzt datum aujourd'hui hoy hoje oggi vandaag dziś dzisiaj сегодня bugün idag сьогодні`)

/** Words of such sentences, beside numbers and names of months and days. */
export const MOMENTS = words(`
  today now date time is it it's the current day and on at am pm utc gmt
  heute jetzt datum ist der den es uhr das aujourd'hui c'est le nous sommes il est hoy es el hora son las hoje é dia de
  oggi giorno sono le ore vandaag het dziś dzisiaj jest godzina сегодня сейчас bugün tarih saat idag är klockan сьогодні зараз`)
