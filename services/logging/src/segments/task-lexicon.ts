/*
 * Words by which prompts are recognized as one application although their skeletons differ. A change here lets new
 * prompts join other families; stored families keep their ids.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Further names of inserted text, each of which opens a region of it. */
export const TEXT_NOUNS = words(`
  chapter chapters section lesson schema tables table database lyrics letter signature subtitles minutes clause clauses
  quote quotes recipe recipes snapshot dump spec example examples sample samples shots demonstrations beispiele beispiel
  exemples exemple ejemplos ejemplo auszüge auszug extraits kapitel tabellen datenbank chapitre capítulo
  отзыв отзывы текст письмо сообщение вопрос документ документы контекст жалоба статья заметки данные комментарий история
  диалог переписка запрос обращение описание протокол
  النص الشكوى التعليق الرسالة السؤال السياق المقال الوثيقة المراجعة البريد الملاحظات البيانات الطلب
  후기 리뷰 본문 문서 질문 댓글 메시지 내용 문의 메일 기사 문장 대화 메모`)

/** {@link TEXT_NOUNS} of languages without spaces, at the end of a heading. */
export const TEXT_NOUNS_CJK = [
  ...[
    '留言',
    '评价',
    '评论',
    '问题',
    '邮件',
    '文章',
    '原文',
    '对话',
    '反馈',
    '消息',
    '笔记',
    '正文',
    '短信',
    '来信',
    '文本',
    '记录',
  ],
  ...[
    'レビュー',
    '口コミ',
    'メール',
    '問い合わせ',
    'コメント',
    '質問',
    '記事',
    '感想',
    'メモ',
    'テキスト',
    '会話',
    '文章',
    '記録',
    '回答',
  ],
]

/** Names of the subject in the headers of a mail, and a header before it. */
export const SUBJECT_LINES = words('subject betreff objet asunto oggetto assunto onderwerp temat тема')
export const MAIL = /(?:^| )(?:From|To|Von|An|De|À|Da|A|Para|Van|Aan|Od|Do|От|Кому): /

/** Names of the answers to choose from. Their list belongs to the task. */
export const CHOICE_NOUNS = words(`
  intents intent topics topic tags tag emotions emotion sentiments sentiment departments department teams queues
  priorities priority severities grades scores actions action choices choice answers outcomes statuses languages
  kategorien klassen optionen catégories étiquettes categorías etiquetas`)

/** Names of what a request may offer. Which ones it does depends on what its user may do. */
export const OFFERED_NOUNS = words('tools functions plugins skills workers agents')

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
  localize cite suggest recommend mark pull answer stop help transfer sign look round repeat sound confirm
  отвечай ответь отвечайте ответьте напиши напишите составь составьте переведи определи сократи придумай придумайте
  объясни объясняй объясните предложи предлагай предложите используй используйте укажи указывай укажите проверь проверьте
  найди найдите выдели перечисли назови выбери выберите исправь сравни опиши подготовь подготовьте перепиши извлеки
  классифицируй обобщи оцени оцените спроси спрашивай задавай задай говори помоги помогай избегай соблюдай сохрани пиши
  уточни уточняй отметь посчитай убери добавь замени следи старайся учитывай покажи прочитай прочти запиши ищи избавь
  будь будьте обращайся верни подведи расскажи рассказывай начни начинай заверши дай давай не
  اكتب أجب لخص ترجم استخدم صنف اقترح اذكر اشرح حدد قارن اختر صحح راجع استخرج قدم ساعد اسأل حافظ تجنب ابدأ اجعل أعد رتب
  لا ضع كن تحدث اقرأ حول صف حلل وضح تحقق`)

/**
 * Further first words of instructions, with a capital. In the middle of a sentence they are often other words (`Werte`), so
 * that they begin no instruction there.
 */
export const FIRST_WORDS = words(`
  using add address adapt adjust advise allow announce apologize apologise argue arrange articulate assess assist
  assume attach balance brainstorm break brief bring build calm capture categorise challenge change clarify clean
  close coach collect combine complain complete compile connect construct continue contrast correct cover craft cut
  deduce define deliver demonstrate derive develop diagnose differentiate direct disclose discuss draw edit elaborate
  eliminate emphasize emphasise enumerate establish examine exclude execute expand explore fetch finish flag forward
  gather get go group guess guide handle highlight hold illustrate imagine improve inform ingest insert inspect
  interpret introduce investigate invite join justify learn leave listen maintain meet memorize merge modify monitor
  motivate narrate negotiate notify observe omit open organize organise outline pay perform personalize persuade play
  pose preview provide pursue put raise react read recall recap reduce reflect reformat reject remind remove rename
  repair rephrase replace reproduce resolve restate return reveal revise rewrite role-play run save scan see send
  separate serve shorten simplify simulate sketch skip smile sort speak specify standardize strip submit take teach
  tell thank think prepare transcribe transform trim try turn urge validate vary verify visualize warn weigh welcome wrap
  analysiere analysieren arbeite berate berücksichtige beschreibe bestätige bestimme beurteile blende bringe danke
  denke drücke empfiehl entferne entscheide entwickle entwirf ergänze ermittle erinnere ersetze erstelle erzähle
  extrahiere finde folge führe füge generiere gestalte gewichte gliedere grüße hole hinterfrage höre identifiziere
  informiere interpretiere kategorisiere kennzeichne kläre klinge kombiniere kommentiere konzentriere kürze lies löse
  löschen melde merke motiviere notiere öffne paraphrasiere plane präsentiere probiere recherchiere reagiere rechne
  reiche rufe sammle schätze schicke schließe schreib sende sieh sortiere spiele stell strukturiere teile trage triff
  überarbeite überprüfe übertrage unterscheide unterstütze untersuche validiere verbinde vereinbare vergleiche
  verschiebe versuche vergib vervollständige warne warte weigere werte wiederhole zähle zeichne ziehe accompagne
  adapte aide analyse annonce applique arrête attends calcule cherche cite compare complète confirme considère
  convertis crée définis détaille détermine développe distingue encourage engage envoie estime évalue fournis formule
  génère informe insère insiste intègre joue justifie laisse lis liste maintiens marque montre note offre oriente
  ouvre précise prends prépare présente privilégie produis prolonge raconte rappelle recherche recommande relis
  remercie remplace reformule reprends rends sélectionne sépare souligne suggère suis supprime synthétise transforme
  trie trouve valide veille actúa adapta agradece ajusta añade analiza anota aplica asigna asegúrate ayuda ayúdame
  busca calcula cambia compara completa confirma considera conserva consulta convierte corrige crea describe detalla
  determina devuelve elige elimina encuentra enumera espera evalúa extrae fomenta formula genera guarda identifica
  ignora informa invita justifica lee limita mantén menciona muestra nombra ofrece ordena organiza pide prepara
  presenta prioriza produce proporciona recomienda recuerda redacta reescribe reemplaza registra revisa saluda
  selecciona señala separa sigue soluciona sustituye termina traduce utiliza valora verifica accetta aggiungi aiuta
  analizza applica attendi cerca chiedi cita classifica compila concludi conferma confronta consiglia controlla
  converti correggi definisci descrivi elenca estrai evidenzia fai fornisci inizia inserisci invia leggi mantieni
  menziona mostra offri ordina organizza parla ricorda riscrivi rispetta scegli segnala segui seleziona spiega
  suggerisci trova usa valuta acrescente aguarde ajude ajude-me analise anote apresente aplique atue avalie busque
  classifique colete considere conte converta corrija crie dê deixe defina descreva detalhe diga elabore encaminhe
  encontre envie escolha espere extraia faça forneça gere identifique ignore inclua insira inicie leia limite localize
  mantenha mencione mostre não ofereça ordene pergunte priorize produza proponha qualifique recomende redija reescreva
  registre resolva responda respeite retorne seja selecione siga sugira termine trate troque utilize verifique
  analyseer antwoord bedenk begin bekijk bereken beschrijf bevestig bied blijf breng classificeer controleer corrigeer
  doe eindig formuleer geef gebruik genereer groet haal help herhaal herschrijf houd identificeer leg let lees maak
  markeer meld negeer neem noem onderzoek praat probeer reageer schrijf sorteer spreek stel sta start stop stuur toon
  trek vat verander verbeter vergelijk verklaar vermeld vermijd vertaal vertel verwijder verwijs verzamel voeg vraag
  wacht wees wijs zeg zet zoek zorg nooit altijd analizuj bądź dodaj dokonaj klasyfikuj napisz nazwij nie nigdy oblicz
  oceń odpowiadaj odpowiedz określ opisz opracuj oznacz pamiętaj pisz podaj podsumuj podziel pokaż pomagaj pomóż
  popraw poproś porównaj potwierdź powiedz przedstaw przeanalizuj przekaż przetłumacz przygotuj przypomnij pytaj
  rozmawiaj rozpocznij rozwiąż skróć sklasyfikuj sprawdź streść stwórz sugeruj tłumacz udziel ustal unikaj upewnij
  używaj użyj wskaż wybierz wyciągnij wyjaśnij wymień wypisz wyodrębnij zachowaj zacznij zadaj zadawaj zakończ zapytaj
  zaproponuj zastąp zawsze zidentyfikuj znajdź zwracaj zwróć`)

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

/** The last word of an instruction in Korean. */
export const KOREAN_INSTRUCTION = /(?:세요|십시오|시오|하라|해라|해줘)$/

/** Forms of companies, which belong to the name before them: `Rheingold AG`. */
export const LEGAL_FORMS = words(`
  ag se kg kgaa gmbh ug ohg eg ev sa sas sarl sl slu srl spa bv nv oy oyj asa aps plc llc llp lp ltd inc corp pty kft
  sro doo ltda eirl usa uk ii iii iv`)

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
