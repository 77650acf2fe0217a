# Writes an install script: the given file, in which a line "\include FILE NAME=VALUE ..." stands for the lines of that
# file, seen from the directory of the first, with the values in the place of @NAME@.
function fail(message) {
    print message >"/dev/stderr"
    exit 1
}
function write(file, values,    directory, line, status, words, count, i, at) {
    directory = file
    sub(/[^\/]*$/, "", directory)
    while ((status = (getline line <file)) > 0) {
        count = split(values, words, " ")
        for (i = 1; i <= count; i++) {
            at = index(words[i], "=")
            gsub("@" substr(words[i], 1, at - 1) "@", substr(words[i], at + 1), line)
        }
        if (line ~ /@[a-z]+@/)
            fail(file ": no value: " line)
        if (line ~ /^\\include /) {
            split(line, words, " ")
            write(directory words[2], substr(line, length("\\include " words[2] " ") + 1))
        } else
            print line
    }
    if (status < 0)
        fail(file ": cannot be read")
    close(file)
}
BEGIN {
    for (number = 1; number < ARGC; number++)
        write(ARGV[number], "")
}
