# Writes COUNT to-do-like documents, one JSON object a line, for the demo:
#   awk -v count=200000 -f Scripts/sample.awk </dev/null
# The same count gives the same text everywhere: the numbers come from a generator written out here.

function next_number(limit) {
  seed = (seed * 16807) % 2147483647
  return seed % limit
}

function pick(list, n) { return list[next_number(n) + 1] }

BEGIN {
  seed = 20301
  verbs = split("buy,call about,repair,read,plant,send,clean,write,pay for,book,return,renew,water,paint", verb, ",")
  things = split("milk,the bicycle,a birthday cake,library books,the tax form,train tickets,the balcony plants," \
    "café tables,the résumé,日本語の本,spare keys,the garden gate,winter tyres,a letter to Zoë", thing, ",")
  tags = split("home,work,errand,phone,garden,shop,kitchen,travel,paper,milk", tag, ",")
  people = split("ada,björn,chloé,dmitri,eve,fátima,grace,hiro,ines,jörg", person, ",")
  for (i = 0; i < count; i++) {
    printf "{\"_id\":\"task-%06d\",\"@datatype\":\"TodoItem\",", i
    printf "\"name\":\"%s %s for %s\",", pick(verb, verbs), pick(thing, things), pick(person, people)
    printf "\"priority\":%d,\"done\":%s,", next_number(3), next_number(10) < 3 ? "true" : "false"
    printf "\"tags\":[\"%s\",\"%s\"],", pick(tag, tags), pick(tag, tags)
    printf "\"owner\":{\"name\":\"%s\",\"age\":%d},", pick(person, people), 18 + next_number(70)
    printf "\"due\":\"2030-%02d-%02d\"}\n", 1 + next_number(12), 1 + next_number(28)
  }
}
