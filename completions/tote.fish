# fish completion for tote, made by 'tote completions fish'.
# The program itself knows the candidates; here they are only handed on. Needs fish 3.
function __tote_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l lines (command tote __complete fish (count $words) -- $words "$word" 2>/dev/null)
    test (count $lines) -gt 0; or return 0
    set -l last $lines[-1]
    set -e lines[-1]
    test (count $lines) -gt 0; and printf '%s\n' $lines

    # A path behind '--option=' is completed without the option, and offered with it.
    set -l head (string match -r -- '^--[^=]*=' $word)
    set -l path (string replace -r -- '^--[^=]*=' '' $word)
    set path (string unescape -- $path; or string replace -r -- '^[\'"]' '' $path)
    switch $last
        case :directories
            string replace -r -- '^' "$head" (__fish_complete_directories $path '')
        case ':files*'
            set -l extensions (string split -n ' ' -- (string sub -s 7 -- $last))
            for candidate in (__fish_complete_path $path '')
                set -l name (string split -m 1 \t -- $candidate)[1]
                set -l ending (string lower -- (string match -r -- '[^.]*$' $name))
                if not set -q extensions[1]; or string match -q -- '*/' $name; or contains -- $ending $extensions
                    echo -- "$head$candidate"
                end
            end
    end
    return 0
end
complete -c tote -e
complete -c tote -f -k -a '(__tote_complete)'
